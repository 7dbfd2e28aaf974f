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

// unseen says which character a text holds that nobody sees, or that turns what is
// around it, or "": what holds for long is what the person saw.
func unseen(s string) string {
	for _, r := range s {
		if unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point) {
			return fmt.Sprintf("has the character U+%04X, which is not seen", r)
		}
	}
	return controls(s, lines)
}

// lines are what a text of several lines holds.
const lines = "\n\r\t"
