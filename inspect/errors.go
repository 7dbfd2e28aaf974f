package inspect

// Code is the kind of an [Error]. Codes are stable.
type Code string

// The codes of errors. Those in capitals are the system's own.
const (
	CodeInvalidPath Code = "invalid-path"
	CodeUnavailable Code = "helper-unavailable"
	CodeUnverified  Code = "permission-unverified"
	CodeTooLarge    Code = "too-large"
	CodeMismatch    Code = "path-mismatch"
	CodeTimeout     Code = "timeout"
	CodeNotFile     Code = "not-file"
	CodeSymlink     Code = "symlink"
	CodeInsecure    Code = "insecure-permissions"
	CodeInvalid     Code = "EINVAL"
	CodeExists      Code = "EEXIST"
	CodeAccess      Code = "EACCES"
	CodeNotFound    Code = "ENOENT"
	CodeNotDir      Code = "ENOTDIR"
	CodeLoop        Code = "ELOOP"
	CodeUnsupported Code = "ENOTSUP"
	CodeBusy        Code = "EBUSY"
	CodeNoSpace     Code = "ENOSPC"
	CodePermission  Code = "EPERM"
	CodeIO          Code = "EIO"
)

// Error is a refusal or a failure of an operation that answers with facts or not
// at all.
type Error struct {
	Code    Code
	Message string // one line, bounded, without control characters
	// Reason is a finer code, such as windows-path-alias; often "".
	Reason string
	// Confirmed is false when a late operation may still be going on.
	Confirmed bool
	cause     error
}

// Error is the code and the message.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Unwrap returns the system's error, if there was one.
func (e *Error) Unwrap() error { return e.cause }

func refusal(code Code, message string) *Error {
	return &Error{Code: code, Message: Bound(message), Confirmed: true}
}

func aliasRefusal(what string) *Error {
	e := refusal(CodeInvalidPath, what+" uses a Windows filesystem namespace alias")
	e.Reason = "windows-path-alias"
	return e
}

// winCodes are the codes of Windows' errors when an object is opened or made,
// identityCodes those of questions about its identity.
var (
	winCodes      = map[uint32]Code{5: CodeAccess, 80: CodeExists, 183: CodeExists, 2: CodeNotFound, 3: CodeNotFound}
	identityCodes = map[uint32]Code{
		5: CodePermission, 112: CodeNoSpace, 39: CodeNoSpace, 32: CodeBusy, 33: CodeBusy,
		1: CodeUnsupported, 50: CodeUnsupported, 87: CodeUnsupported,
	}
)

// winError is the error of a Windows call. Numbers without a code are I/O errors.
func winError(op string, number uint32, codes map[uint32]Code, cause error) *Error {
	code, ok := codes[number]
	if !ok {
		code = CodeIO
	}
	return &Error{Code: code, Message: Bound(op + " failed with Windows error " + formatNumber(number)), Confirmed: true, cause: cause}
}

func formatNumber(n uint32) string { return number(n) }
