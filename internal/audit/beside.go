package audit

import "strings"

// valueBeside finds the value of a name that was written as a value itself:
// {"name": "TOKEN", "value": "…"}, <add key="TOKEN" value="…">, a list of two, and
// lines of YAML. It returns where the value starts, or 0. at is behind the name.
func (t *scanner) valueBeside(at int) int {
	s := t.s
	comma := false
	for at < len(s) && (s[at] == ' ' || s[at] == '\t' || s[at] == '\n' || s[at] == '\r' || s[at] == ',' && !comma) {
		comma = comma || s[at] == ','
		at++
	}
	start := at
	for at < len(s) && (s[at] == '"' || s[at] == '\'' || s[at] == '\\') && at < start+4 {
		at++
	}
	quoted := at > start
	end := at
	for end < len(s) && nameBytes[s[end]] {
		end++
	}
	if end == at || !valueNames[foldName(s[at:end])] {
		return 0
	}
	for at = end; quoted && at < len(s) && (s[at] == '"' || s[at] == '\'' || s[at] == '\\') && at < end+4; {
		at++
	}
	for at < len(s) && s[at] == ' ' {
		at++
	}
	if at == len(s) || s[at] != ':' && s[at] != '=' {
		return 0
	}
	for at++; at < len(s) && (s[at] == ' ' || s[at] == '\t'); at++ {
	}
	return at
}

// firstOfPair reports whether a name is the first of a list in a list:
// [["Authorization", "…"]].
func (t *scanner) firstOfPair(i int) bool {
	before := strings.TrimRight(t.s[max(0, i-16):i], "\"'\\")
	before, inList := strings.CutSuffix(before, "[")
	before = strings.TrimRight(before, " \n")
	return inList && (strings.HasSuffix(before, "[") || strings.HasSuffix(before, ","))
}

// besideEnd is the end of a value that starts there.
func (t *scanner) besideEnd(at int) int {
	s := t.s
	switch {
	case at >= len(s):
		return len(s)
	case strings.HasPrefix(s[at:], `\"`), strings.HasPrefix(s[at:], `\'`):
		if end := strings.Index(s[at+2:], s[at:at+2]); end >= 0 {
			return at + 2 + end + 2
		}
		return len(s)
	case s[at] == '"' || s[at] == '\'':
		return quoteEnd(s, at)
	case s[at] == '[' || s[at] == '{':
		return bracketEnd(s, at)
	}
	return upTo(s, at, valueEnds)
}

// twoWordKey reports whether a name is the second word of one that is written
// with a blank: api key = …, seed phrase: …
func (t *scanner) twoWordKey(i int, folded string) bool {
	if folded != "key" && folded != "phrase" || i < 2 || t.s[i-1] != ' ' {
		return false
	}
	from := i - 1
	for from > 0 && nameBytes[t.s[from-1]] && from > i-24 {
		from--
	}
	before := strings.ToLower(t.s[from : i-1])
	if folded == "phrase" {
		return before == "seed" || before == "recovery" || before == "pass"
	}
	return keyQualifiers[before] && before != "storage" && before != "license"
}

// wholePhrase reports names whose value is several words.
func wholePhrase(name string) bool {
	f := foldName(name)
	return strings.HasSuffix(f, "mnemonic") || strings.HasSuffix(f, "phrase") && !strings.HasSuffix(f, "passphrase")
}

// lineIndent is how far a line is indented on which a byte stands.
func (t *scanner) lineIndent(i int) int {
	start := max(0, i-maxName)
	start += strings.LastIndexByte(t.s[start:i], '\n') + 1
	for n := start; n < i; n++ {
		if t.s[n] != ' ' && t.s[n] != '-' {
			return n - start
		}
	}
	return i - start
}

// blockEnd is the end of a YAML block (| or >) that starts there, or 0.
func blockEnd(s string, indent, at int) int {
	if at >= len(s) || s[at] != '|' && s[at] != '>' {
		return 0
	}
	line := strings.IndexByte(s[at:], '\n')
	if line < 0 || strings.Trim(s[at+1:at+line], " -+0123456789\r") != "" {
		return 0
	}
	end := at + line
	for end < len(s) {
		next := strings.IndexByte(s[end+1:], '\n')
		text := s[end+1:]
		if next >= 0 {
			text = s[end+1 : end+1+next]
		}
		trimmed := strings.TrimLeft(text, " ")
		if trimmed != "" && trimmed != "\r" && len(text)-len(trimmed) <= indent {
			return end
		}
		if next < 0 {
			return len(s)
		}
		end += 1 + next
	}
	return len(s)
}
