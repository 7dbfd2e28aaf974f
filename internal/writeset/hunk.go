package writeset

import "strings"

// skipHunk steps over a hunk at the head of the rest and reports whether there
// was one whose lines fit its counts. Otherwise nothing is consumed, and all
// its lines are read as possible headers; no hunk header is among them, so each
// line is read at most twice.
func (d *differ) skipHunk() bool {
	line, rest := nextLine(d.rest)
	old, new, ok := hunkCounts(line)
	if !ok || d.nested {
		return false
	}
	targets, target := d.sec.targets, d.sec.target
	for old > 0 || new > 0 {
		if rest == "" {
			d.sec.targets, d.sec.target = targets, target
			return false
		}
		line, rest = nextLine(rest)
		kind := byte(' ') // an editor may have cut the blank of an empty line
		if line != "" && line != "\r" {
			kind = line[0]
		}
		switch kind {
		case ' ':
			old, new = old-1, new-1
		case '-':
			old--
		case '+':
			new--
			d.sec.added(strings.TrimSuffix(line[1:], "\r"))
		case '\\':
		default:
			old = -1
		}
		if old < 0 || new < 0 {
			d.sec.targets, d.sec.target = targets, target
			return false
		}
	}
	// One note such as "\ No newline at end of file" belongs to the hunk. With
	// a second one patch(1) is out of the file's part.
	if strings.HasPrefix(rest, `\`) {
		_, rest = nextLine(rest)
	}
	d.sec.hunk = true
	d.embeddedIn(d.rest[:len(d.rest)-len(rest)])
	d.rest = rest
	return true
}

// embeddedIn looks for headers behind unusual line ends in a whole hunk.
func (d *differ) embeddedIn(hunk string) {
	for hunk != "" {
		var line string
		line, hunk = nextLine(hunk)
		d.embedded(line)
	}
}

// hunkCounts reads "@@ -1,2 +3,4 @@", in the strict form that git demands. A
// count that is not there is 1.
func hunkCounts(line string) (old, new int, ok bool) {
	s, ok := strings.CutPrefix(line, "@@ -")
	if !ok {
		return 0, 0, false
	}
	if old, s, ok = rangeCount(s); !ok {
		return 0, 0, false
	}
	if s, ok = strings.CutPrefix(s, " +"); !ok {
		return 0, 0, false
	}
	if new, s, ok = rangeCount(s); !ok {
		return 0, 0, false
	}
	return old, new, strings.HasPrefix(s, " @@")
}

// rangeCount reads "12" or "12,3" and returns the count.
func rangeCount(s string) (count int, rest string, ok bool) {
	if _, s, ok = number(s); !ok {
		return 0, s, false
	}
	if after, found := strings.CutPrefix(s, ","); found {
		return number(after)
	}
	return 1, s, true
}

// number reads at most seven digits; more lines than that do not fit the text.
func number(s string) (n int, rest string, ok bool) {
	i := 0
	for i < len(s) && i < 7 && s[i] >= '0' && s[i] <= '9' {
		n = n*10 + int(s[i]-'0')
		i++
	}
	return n, s[i:], i > 0
}

// isEdCommand reports whether patch(1) could take a line for a command of an ed
// script ("12,14d", "3i", "5s/.//") or of a normal diff ("1,2c3").
func isEdCommand(s string) bool {
	s = strings.TrimRight(s, " \t\r")
	if s == "" || s[0] < '0' || s[0] > '9' {
		return false
	}
	const digits = "0123456789,"
	s = strings.TrimLeft(s, digits)
	if s == "i" || s == "s/.//" {
		return true
	}
	return s != "" && strings.IndexByte("acd", s[0]) >= 0 && strings.Trim(s[1:], digits) == ""
}
