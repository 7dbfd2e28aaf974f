package inspect

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"
)

// diagnosticUnits bounds every text that quotes something foreign, in UTF-16
// code units.
const diagnosticUnits = 400

// stderrBytes is how much of a command's output is looked at.
const stderrBytes = 4 * diagnosticUnits

const ellipsis = "…"

// Escape makes text fit for one line of a terminal or a log: C0 and C1 controls,
// DEL and the two Unicode line separators become \uXXXX. Bytes that are no text
// become U+FFFD: beside others they might be read as a control. Everything else,
// including bidirectional marks, is kept.
func Escape(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		if isControl(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

func isControl(r rune) bool {
	return r <= 0x1f || (r >= 0x7f && r <= 0x9f) || r == '\u2028' || r == '\u2029'
}

// showName makes a file name fit for one line of a terminal, and honest: what
// would not show as itself, such as a mark that reverses the text, is escaped.
func showName(name string) string {
	name = decode(name)
	if strings.IndexFunc(name, isHidden) < 0 {
		return name
	}
	var out strings.Builder
	for _, r := range name {
		switch {
		case !isHidden(r):
			out.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&out, `\U%08x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// Bound escapes s and keeps at most 400 UTF-16 code units, the last of which is
// an ellipsis when something was cut.
func Bound(s string) string {
	escaped := Escape(s)
	if units(escaped) <= diagnosticUnits {
		return escaped
	}
	return headUnits(escaped, diagnosticUnits-1) + ellipsis
}

// BoundFailure is [Bound] for the text of a failure, of which no more than the
// first 400 code units are ever looked at. A cut always shows.
func BoundFailure(s string) string {
	if units(s) <= diagnosticUnits {
		return Bound(s)
	}
	bounded := Bound(headUnits(s, diagnosticUnits))
	if strings.HasSuffix(bounded, ellipsis) {
		return bounded
	}
	return headUnits(bounded, diagnosticUnits-1) + ellipsis
}

// DescribeFailure says what a failure of any kind says, within the bounds of
// [BoundFailure]: what a function panicked with, or what another program's query
// failed with, decoded from JSON. Of an object only "name" and "message" count,
// and only when they are text. No method of a stranger is called but Error.
func DescribeFailure(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return BoundFailure(v)
	case error:
		return BoundFailure(v.Error())
	case map[string]any:
		return BoundFailure(describeObject(v))
	}
	switch kind := reflect.ValueOf(value).Kind(); {
	case kind == reflect.Func:
		return "Unknown function failure"
	case kind <= reflect.Complex128, kind == reflect.String: // numbers and truth, of any type
		return BoundFailure(fmt.Sprint(reflect.ValueOf(value)))
	}
	return "Unknown object failure"
}

func describeObject(object map[string]any) string {
	name, _ := object["name"].(string)
	message, _ := object["message"].(string)
	switch {
	case name != "" && message != "":
		return name + ": " + message
	case name+message != "":
		return name + message
	}
	return "Unknown object failure"
}

// CommandFailure says how a command that was run for an inspection failed. All
// text in it is bounded and safe to show.
type CommandFailure struct {
	Command    string  `json:"command"`
	DurationMS int64   `json:"duration_ms"`
	TimedOut   bool    `json:"timed_out"`
	ExitCode   *int    `json:"exit_code"` // nil when the command did not exit by itself
	Signal     *string `json:"signal"`
	Stderr     string  `json:"stderr"`
}

// NewCommandFailure records a failed command. Stderr may be of any size and
// content; only its beginning is kept.
func NewCommandFailure(command string, ran time.Duration, stderr []byte) CommandFailure {
	if len(stderr) > stderrBytes {
		stderr = stderr[:stderrBytes]
	}
	return CommandFailure{
		Command:    Bound(command),
		DurationMS: int64(math.Round(float64(ran) / float64(time.Millisecond))),
		Stderr:     Bound(decode(string(stderr))),
	}
}
