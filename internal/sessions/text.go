package sessions

import (
	"fmt"
	"strings"
	"unicode"
)

// controls says which control character a text holds that is stored and shown to
// people, or "": one store keeps no NUL, and a terminal obeys others. Those that
// also says so are allowed.
func controls(s, also string) string {
	at := strings.IndexFunc(s, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune(also, r) })
	if at < 0 {
		return ""
	}
	for _, r := range s[at:] {
		return fmt.Sprintf("has the control character U+%04X", r)
	}
	return ""
}

// lines are what a text of several lines holds.
const lines = "\n\r\t"
