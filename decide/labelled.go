package decide

import "strings"

// labelled looks at the file that a word names behind an equals sign, as dd's
// if=PATH or kubectl's go-template-file=PATH. No shell and none of these
// programs takes a pattern there for names of files.
func (l lookup) labelled(w string) (string, bool) {
	label, value, ok := strings.Cut(w, "=")
	if !ok || value == "" || strings.ContainsAny(label, " \t\n") || strings.ContainsAny(value, "*?[") {
		return "", false
	}
	return l.value(value)
}
