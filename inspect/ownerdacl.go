package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"time"
)

// OwnerDACL is the answer to a query for raw owner and access list facts. On
// systems without such lists Descriptor is nil and Platform says which it is.
type OwnerDACL struct {
	Platform       string
	CurrentUserSID string
	// IsLocal is false also where it is not known.
	IsLocal bool
	// IsVolumeRoot says that the path is the root of a local volume itself, not a
	// link or a folder on which it is mounted.
	IsVolumeRoot bool
	Descriptor   *Descriptor

	containerSID string // of the process, when it runs in an AppContainer
}

// UnsupportedOwnerDACL is the answer of this system, when it is not Windows.
func UnsupportedOwnerDACL() OwnerDACL { return OwnerDACL{Platform: platformName()} }

// platformName is the system's name as JavaScript knows it.
func platformName() string {
	if runtime.GOOS == "windows" {
		return "win32"
	}
	return runtime.GOOS
}

// MarshalJSON writes the facts beside a status: supported or
// unsupported-platform.
func (o OwnerDACL) MarshalJSON() ([]byte, error) {
	if o.Descriptor == nil {
		return json.Marshal(struct {
			Status   string `json:"status"`
			Platform string `json:"platform"`
		}{"unsupported-platform", o.Platform})
	}
	d := o.Descriptor
	types := make([]int, len(d.UnsupportedACETypes)) // bytes would be written as base64
	for i, kind := range d.UnsupportedACETypes {
		types[i] = int(kind)
	}
	return json.Marshal(struct {
		Status              string    `json:"status"`
		OwnerSID            string    `json:"owner_sid"`
		CurrentUserSID      string    `json:"current_user_sid"`
		DACLPresent         bool      `json:"dacl_present"`
		IsLocal             bool      `json:"is_local"`
		IsVolumeRoot        bool      `json:"is_volume_root"`
		Complete            bool      `json:"complete"`
		UnsupportedACETypes []int     `json:"unsupported_ace_types"`
		ACEs                []RuleACE `json:"aces"`
	}{"supported", d.OwnerSID, o.CurrentUserSID, d.DACLPresent, o.IsLocal, o.IsVolumeRoot, d.Complete, types, d.ACEs})
}

// facts prepares the answer for [Classify].
func (o *OwnerDACL) facts() SecurityFacts {
	f := o.Descriptor.SecurityFacts(o.CurrentUserSID, !o.IsLocal)
	f.ContainerSID = o.containerSID
	return f
}

// NativeACLs says whether this system has owner and access list facts.
func NativeACLs() bool { return nativeACLs }

// ReadOwnerDACL returns the owner and the access list of an object without any
// judgement. Links are followed. It decides nothing: whoever acts on the facts
// must demand a local, present and complete list and bring an own list of SIDs.
func ReadOwnerDACL(path string) (OwnerDACL, error) {
	if !nativeACLs {
		return UnsupportedOwnerDACL(), nil
	}
	if IsNamespaceAlias(path) {
		return OwnerDACL{}, aliasRefusal("path")
	}
	return readOwnerDACL(path)
}

// Bounds of a batch of raw facts.
const (
	// MaxBatchBytes bounds the paths of a batch, and the answer to it, as JSON.
	MaxBatchBytes = 16 << 20
	// MaxTimeout is the longest deadline of a batch.
	MaxTimeout = (1<<31 - 1) * time.Millisecond
	// DefaultTimeout is the deadline of a batch that names none.
	DefaultTimeout = 60 * time.Second
)

var (
	errTimeoutRange = refusal(CodeInvalid, "timeoutMs must be a positive integer no greater than 2147483647")
	errBatchPaths   = refusal(CodeInvalid, "paths must contain nonempty path strings without null bytes")
)

// ReadOwnerDACLs answers for several paths, one for one, in order, duplicates
// included: all or nothing. A timeout of 0 stands for [DefaultTimeout]. When the
// time is over, the error says whether the query still goes on: a system call
// cannot be called back.
func ReadOwnerDACLs(ctx context.Context, paths []string, timeout time.Duration) ([]OwnerDACL, error) {
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	if err := checkBatch(paths, timeout); err != nil {
		return nil, err
	}
	results := make([]OwnerDACL, len(paths))
	if !nativeACLs {
		for i := range results {
			results[i] = UnsupportedOwnerDACL()
		}
		return results, nil
	}
	for _, path := range paths {
		if IsNamespaceAlias(path) {
			return nil, aliasRefusal("path")
		}
	}
	var failed error
	err := DefaultPool.Run(ctx, timeout, func(alive func() bool) {
		failed = readAll(paths, results, alive)
	})
	if err != nil {
		return nil, err // results may still be written to: they are dropped
	}
	if failed != nil {
		return nil, failed
	}
	return results, nil
}

// checkBatch refuses in a fixed order: the time, the paths, their size.
func checkBatch(paths []string, timeout time.Duration) error {
	if timeout < time.Millisecond || timeout > MaxTimeout {
		return errTimeoutRange
	}
	size := 2
	for _, path := range paths {
		if path == "" || strings.IndexByte(path, 0) >= 0 {
			return errBatchPaths
		}
		size += len(path) + 3
	}
	if size > MaxBatchBytes {
		return refusal(CodeTooLarge, "the paths of a batch have more than 16 MiB")
	}
	return nil
}

// readAll budgets the answer while it is collected, so that it stops before the
// paths that would not fit.
func readAll(paths []string, results []OwnerDACL, alive func() bool) error {
	size := 2
	for i, path := range paths {
		if !alive() {
			return nil
		}
		facts, err := readOwnerDACL(path)
		if err != nil {
			return err
		}
		text, err := json.Marshal(facts)
		if err != nil {
			return err
		}
		if size += len(text) + 1; size > MaxBatchBytes {
			return refusal(CodeTooLarge, "the answer to a batch has more than 16 MiB")
		}
		results[i] = facts
	}
	return nil
}

// errorOf makes an Error of anything.
func errorOf(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: CodeIO, Message: BoundFailure(err.Error()), Confirmed: true, cause: err}
}
