package writeset

import "strings"

// A header line holds a name and perhaps a time stamp, and nothing says where
// one ends and the other starts. The functions of this file yield the readings
// that appliers take.

// asciiBlanks end a name for patch(1), which reads bytes.
const asciiBlanks = " \t\v\f\r"

// nameReadings yields what follows "--- ", "+++ ", "Index:" or "*** " in every
// reading of where the name starts and ends.
func nameReadings(raw string, yield func(string)) {
	name := strings.TrimFunc(raw, isBlank)
	if name == "" {
		return
	}
	if unquoted, _, ok := unquoteC(name); ok {
		yield(unquoted)
	}
	// Appliers end a name at the TAB before the time stamp; git keeps the blanks
	// around it, others do not. The whole text counts only where it would lead
	// elsewhere than the name does.
	given, stamped := cutStamp(raw)
	if !stamped {
		yield(name)
		given, _, _ = strings.Cut(raw, "\t")
	}
	if given != name {
		yield(given)
	}
	if len(given) < len(raw) {
		yield(strings.TrimFunc(given, isBlank))
	}
	// Without a TAB, patch(1) ends it at the first blank.
	if i := strings.IndexAny(name, asciiBlanks); i >= 0 {
		yield(name[:i])
	}
	// git ends it at a date, whatever blanks stand before it.
	if i := dateStart(name); i > 0 {
		yield(strings.TrimRightFunc(name[:i], isBlank))
	}
}

// cutStamp takes off what follows a TAB, if that can only be a time stamp: with
// it the text names a neighbour of the same file at most. A slash or a parent
// directory in it leads elsewhere, and so it may be part of a name.
func cutStamp(text string) (name string, ok bool) {
	name, stamp, tab := strings.Cut(text, "\t")
	if !tab || strings.TrimFunc(name, isPythonSpace) == "" ||
		strings.ContainsAny(stamp, `/\`) || strings.Contains(stamp, "..") {
		return text, false
	}
	return name, true
}

// dateStart finds the last " 2006-01-02" or " 06-01-02" in s; -1 for none.
func dateStart(s string) int {
	for i := len(s) - len("06-01-02"); i > 0; i-- {
		if s[i-1] != ' ' && s[i-1] != '\t' {
			continue
		}
		if isDate(s[i:], "dddd-dd-dd") || isDate(s[i:], "dd-dd-dd") {
			return i
		}
	}
	return -1
}

// isDate reports whether s starts with the shape, in which d is a digit.
func isDate(s, shape string) bool {
	if len(s) < len(shape) {
		return false
	}
	for i := range len(shape) {
		if digit := s[i] >= '0' && s[i] <= '9'; digit != (shape[i] == 'd') || !digit && s[i] != shape[i] {
			return false
		}
	}
	return true
}

// isDevNull reports whether a header names no file: /dev/null, alone or before
// a blank and a time stamp, which is how git and patch(1) see it.
func isDevNull(raw string) bool {
	after, ok := strings.CutPrefix(raw, "/dev/null")
	return ok && (after == "" || isBlank(leadingRune(after)))
}

// isEpoch reports whether the time stamp of a header is the start of Unix time
// in some time zone, which says that the file does not exist on that side.
func isEpoch(raw string) bool {
	i := dateStart(raw)
	return i > 0 && (strings.HasPrefix(raw[i:], "1970-01-01") || strings.HasPrefix(raw[i:], "1969-12-31"))
}

// stripReadings yields a name as given (-p0) and without its first component
// (-p1). Of several slashes git drops one, patch(1) all. Where patch(1) runs on
// Windows a backslash counts as a slash.
func stripReadings(name string, yield func(string)) {
	yield(name)
	i := strings.IndexAny(name, `/\`)
	if i < 0 || i+1 == len(name) {
		return
	}
	one := name[i+1:]
	yield(one)
	if all := strings.TrimLeft(one, name[i:i+1]); all != one && all != "" {
		yield(all)
	}
	if name[i] == '\\' {
		if _, after, ok := strings.Cut(name, "/"); ok && after != "" {
			yield(after)
		}
	}
}

// unquoteC decodes a name in double quotes, as git writes names with unusual
// bytes, and returns what follows the closing quote.
func unquoteC(s string) (name, rest string, ok bool) {
	if s == "" || s[0] != '"' {
		return "", s, false
	}
	end := strings.IndexAny(s[1:], `"\`) + 1
	if end > 0 && s[end] == '"' {
		return s[1:end], s[end+1:], true
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			c, width := unescape(s[i+1:])
			if width == 0 {
				return "", s, false
			}
			b.WriteByte(c)
			i += width
		default:
			b.WriteByte(s[i])
		}
	}
	return "", s, false
}

// unescape decodes what follows a backslash: one letter, or three octal digits.
func unescape(s string) (c byte, width int) {
	const letters, values = `abfnrtv\"`, "\a\b\f\n\r\t\v\\\""
	if s == "" {
		return 0, 0
	}
	if i := strings.IndexByte(letters, s[0]); i >= 0 {
		return values[i], 1
	}
	if len(s) < 3 || s[0] > '3' {
		return 0, 0
	}
	var v int
	for _, d := range []byte(s[:3]) {
		if d < '0' || d > '7' {
			return 0, 0
		}
		v = v<<3 | int(d-'0')
	}
	return byte(v), 3
}

// gitNames yields the names in what follows "diff --git ", in every reading:
// quoted ones, two words, and two names with blanks that are equal from the
// start or from their first slash on.
func gitNames(raw string, yield func(string)) {
	raw = strings.Trim(raw, asciiBlanks)
	if gitQuotedNames(raw, yield) {
		return
	}
	gap := strings.IndexAny(raw, asciiBlanks)
	if gap < 0 {
		return
	}
	if second := strings.TrimLeft(raw[gap:], asciiBlanks); !strings.ContainsAny(second, asciiBlanks) {
		yield(raw[:gap])
		yield(second)
		return
	}
	if mid := len(raw) / 2; len(raw)%2 == 1 && isGitGap(raw[mid]) && raw[:mid] == raw[mid+1:] {
		yield(raw[:mid])
	}
	if at := equalTails(raw); at > 0 {
		yield(raw[:at])
		yield(raw[at+1:])
	}
}

func isGitGap(c byte) bool { return c == ' ' || c == '\t' }

// gitQuotedNames reads a pair of which at least one name is in quotes, and
// reports whether it was one.
func gitQuotedNames(raw string, yield func(string)) bool {
	if first, rest, ok := unquoteC(raw); ok {
		yield(first)
		rest = strings.TrimLeft(rest, asciiBlanks)
		if second, _, ok := unquoteC(rest); ok {
			yield(second)
		} else if rest != "" {
			yield(rest)
		}
		return true
	}
	// The first name is bare: a quote behind a blank opens the second.
	quote := strings.IndexByte(raw, '"')
	if quote < 1 || !isGitGap(raw[quote-1]) {
		return false
	}
	second, _, ok := unquoteC(raw[quote:])
	if ok {
		yield(second)
		yield(strings.TrimRight(raw[:quote], asciiBlanks))
	}
	return ok
}

// equalTails finds the blank that splits raw into "P/name Q/name", or -1.
//
// With the gap at p and the next slash after it at q, the tails have one length
// only if p+q is fixed; q never grows as p shrinks, so at most one gap fits and
// only that one is compared.
func equalTails(raw string) int {
	slash := strings.IndexByte(raw, '/')
	if slash < 0 {
		return -1
	}
	next := -1
	for p := len(raw) - 1; p > slash; p-- {
		if raw[p] == '/' {
			next = p
		}
		if next < 0 || !isGitGap(raw[p]) || p-slash != len(raw)-next {
			continue
		}
		if raw[slash+1:p] == raw[next+1:] {
			return p
		}
	}
	return -1
}
