package inspect

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// SecureOptions tune [ReadSecureFile]. The zero value demands a file that is
// nobody else's business.
type SecureOptions struct {
	// MaxBytes bounds the file; 0 stands for 1 MiB. A longer file is an error, not
	// a part of it.
	MaxBytes int64
	// AllowGroupRead admits that the owning group, and whom a list names, may
	// read. Nobody else may ever write.
	AllowGroupRead bool
	// TrustedUIDs may own the file beside the user and root.
	TrustedUIDs []uint32
}

const defaultSecureBytes = 1 << 20

// ReadSecureFile reads a secret. It demands an absolute path to a regular file
// that is no link, is owned by the user, root or somebody trusted, and that
// nobody else may read or write. All of it is checked on the very handle that is
// then read, so the name may be given to another file meanwhile without harm.
//
// Not promised: that the directories on the way are safe. Whoever may replace
// the name may present another file of the same owner; see [Facts].
func ReadSecureFile(path string, opts SecureOptions) ([]byte, error) {
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = defaultSecureBytes
	}
	switch {
	case strings.IndexByte(path, 0) >= 0:
		return nil, refusal(CodeInvalidPath, "the path has a NUL")
	case !filepath.IsAbs(path):
		return nil, refusal(CodeInvalidPath, "the path is not absolute")
	case namespaceAliases && IsNamespaceAlias(path):
		return nil, aliasRefusal("path")
	}
	file, err := openSecure(path, &opts)
	if err != nil {
		return nil, err
	}
	defer file.Close() // opened to be read
	return readBounded(file, opts.MaxBytes)
}

// readBounded trusts no size that a file tells of itself.
func readBounded(file *os.File, limit int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, &Error{Code: CodeIO, Message: "the file could not be read: " + reason(err), Confirmed: true, cause: err}
	}
	if int64(len(content)) > limit {
		return nil, refusal(CodeTooLarge, "the file has more than "+formatNumber(uint32(min(limit, 1<<32-1)))+" bytes")
	}
	return content, nil
}

// systemError is a failed call in the words of reports.
func systemError(op string, err error) *Error {
	code := CodeIO
	for _, row := range []struct {
		is   error
		code Code
	}{
		{os.ErrNotExist, CodeNotFound}, {os.ErrPermission, CodeAccess}, {os.ErrExist, CodeExists},
	} {
		if errors.Is(err, row.is) {
			code = row.code
		}
	}
	return &Error{Code: code, Message: Bound(op + ": " + reason(err)), Confirmed: true, cause: err}
}

// checkSecureFacts judges the owner and the list of an open file.
func checkSecureFacts(f SecurityFacts, opts *SecureOptions) error {
	c := Classify(f, nil, ClassifyOptions{})
	switch {
	case c.Source != SourceWindowsACL:
		return refusal(CodeUnverified, c.Error)
	case !is(c.OwnerTrusted):
		return refusal(CodeInsecure, "the owner of the file is not trusted, or the volume is not local")
	case c.WorldReadable || c.WorldWritable || c.GroupWritable || c.GroupReadable && !opts.AllowGroupRead:
		return refusal(CodeInsecure, "others have access to the file: "+c.ACLSummary)
	}
	return nil
}
