package paths

import "fmt"

// Kind says what is wrong with a path. The values are stable: they are part
// of the answers that clients see.
type Kind string

// The kinds of invalid path.
const (
	Nul             Kind = "nul"                   // a NUL byte
	Control         Kind = "control"               // a C0 or C1 control character, or DEL
	InvalidUTF8     Kind = "invalid_utf8"          // bytes that are not UTF-8
	TooLong         Kind = "too_long"              // over maxPath bytes, or a component over maxName
	ForeignOS       Kind = "foreign_os"            // a Windows path in a POSIX context
	URI             Kind = "uri"                   // a file: address where a path belongs
	ProcessRelative Kind = "process_relative"      // names something else in each process
	UNC             Kind = "unc"                   // a network share
	NTNamespace     Kind = "nt_namespace"          // \\?\, \\.\ and \??\
	Stream          Kind = "stream"                // an alternate data stream
	DriveRelative   Kind = "drive_relative"        // C:foo, relative to a directory nobody knows
	DeviceName      Kind = "device_name"           // CON, NUL, COM1, …
	ForbiddenChar   Kind = "forbidden_character"   // < > " | ? * on Windows
	TrailingDot     Kind = "trailing_dot_or_blank" // which Windows drops
	ShortName       Kind = "short_name"            // PROGRA~1
	UnknownUser     Kind = "unknown_user"          // ~name without an account
	HomeUnknown     Kind = "home_unknown"          // ~ where no home was given
	Relative        Kind = "relative"              // an absolute path was needed
	Loop            Kind = "loop"                  // links that lead in a circle
	Unreadable      Kind = "unreadable"            // the file system did not say
)

var sentences = map[Kind]string{
	Nul:             "the path %q contains a NUL byte",
	Control:         "the path %q contains a control character",
	InvalidUTF8:     "the path %q is not valid UTF-8",
	TooLong:         "the path %q, or one of its names, is too long",
	ForeignOS:       "the path %q is a Windows path, and the tool runs on another system",
	URI:             "the path %q is a file address, not a path",
	ProcessRelative: "the path %q means something else in each process",
	UNC:             "the path %q names a network share",
	NTNamespace:     "the path %q is in the NT namespace",
	Stream:          "the path %q names an alternate data stream",
	DriveRelative:   "the path %q depends on the current directory of its drive",
	DeviceName:      "the path %q names a device",
	ForbiddenChar:   "the path %q contains a character that Windows forbids in names",
	TrailingDot:     "the path %q has a name that ends in a dot or a blank, which Windows drops",
	ShortName:       "the path %q has an 8.3 short name, whose long name is not known",
	UnknownUser:     "the path %q starts in the home of an unknown user",
	HomeUnknown:     "the path %q starts in a home directory that is not known",
	Relative:        "the path %q is not absolute",
	Loop:            "the path %q runs into a loop of symbolic links",
	Unreadable:      "the path %q cannot be resolved: the file system does not let us look",
}

// InvalidError is a path that names no file that can be judged.
type InvalidError struct {
	Kind Kind
	Path string // as it was given, or the part of it that is at fault
}

// maxQuoted bounds the text that an error repeats, in bytes.
const maxQuoted = 256

// Error is a sentence with the path quoted; a long path is cut.
func (e *InvalidError) Error() string {
	sentence, ok := sentences[e.Kind]
	if !ok {
		sentence = "the path %q is not valid"
	}
	text := e.Path
	if len(text) > maxQuoted {
		text = text[:maxQuoted] + "…"
	}
	return fmt.Sprintf(sentence, text)
}
