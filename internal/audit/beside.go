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

// elementValue finds what an element of XML or HTML holds: <name …>value<,
// <x key="name">value<, <key>name</key><string>value<.
func (t *scanner) elementValue(i, at int, name string) (from, to int) {
	s := t.s
	if i == 0 || at == len(s) {
		return 0, 0
	}
	switch before := s[i-1]; {
	case (before == '<' || before == ':' && t.opens(i-1)) && (s[at] == '>' || s[at] == ' '):
		// <name>, <ns:name a="b">
	case s[at] == '>' && (before == '"' || before == '\'') && t.labelled(i):
		// <x key="name">
	case before == '>' && strings.HasPrefix(s[at:], "</"):
		// <key>name</key><string>
		next := strings.IndexByte(s[at:], '>')
		if next < 0 {
			return 0, 0
		}
		at += next + 1
		for at < len(s) && wordEnds[s[at]] {
			at++
		}
		if at == len(s) || s[at] != '<' {
			return 0, 0
		}
	default:
		return 0, 0
	}
	if t.textMeaning(i, name, assigned) == harmless {
		return 0, 0
	}
	tag := strings.IndexByte(s[at:min(len(s), at+lookahead)], '>')
	if tag < 0 || s[at] != '>' && strings.HasPrefix(s[at:], "</") || tag > 0 && s[at+tag-1] == '/' {
		return 0, 0
	}
	from = at + tag + 1
	const data = "<![CDATA["
	if strings.HasPrefix(s[from:], data) {
		from += len(data)
		if end := strings.Index(s[from:], "]]>"); end >= 0 {
			return from, from + end
		}
		return from, len(s)
	}
	to = len(s)
	if end := strings.IndexByte(s[from:], '<'); end >= 0 {
		to = from + end
	}
	if value := strings.TrimSpace(s[from:to]); value == "" || isReference(value) || isConstant(value) {
		return 0, 0
	}
	return from, to
}

// opens reports whether the name before a colon opens an element: <ns:
func (t *scanner) opens(colon int) bool {
	at := colon
	for at > 0 && nameBytes[t.s[at-1]] && at > colon-maxKey {
		at--
	}
	return at > 0 && at < colon && t.s[at-1] == '<'
}

// valueInGroup finds the value of a name that is itself a value, wherever in the
// same braces, tag or item of YAML it stands: {"value": "…", "name": "TOKEN"}.
func (t *scanner) valueInGroup(i, at int, name string) (from, to int) {
	s := t.s
	if t.textMeaning(i, name, assigned) == harmless {
		return 0, 0
	}
	begin, end := t.group(i, at)
	for k := begin; k < end; k++ {
		if !nameBytes[s[k]] || k > 0 && nameBytes[s[k-1]] || k >= i && k < at {
			continue
		}
		word := k
		for word < end && nameBytes[s[word]] {
			word++
		}
		if !valueNames[foldName(s[k:word])] {
			k = word
			continue
		}
		quotes := k
		for quotes > begin && (s[quotes-1] == '"' || s[quotes-1] == '\'' || s[quotes-1] == '\\') {
			quotes--
		}
		if value := t.valueBeside(quotes); value > 0 && value < end && value >= t.done {
			to = min(t.besideEnd(value), end)
			if !isReference(strings.Trim(s[value:to], "\"'\\")) && strings.Trim(s[value:to], "\"'\\ ") != "" {
				if t.at != nil && int(t.at[value]) < t.done {
					return 0, 0
				}
				return value, to
			}
		}
		k = word
	}
	return 0, 0
}

// labelGap may stand between a label, its sign and its value.
var labelGap = byteSet("\"'\\ ")

// labelled reports whether a name is the value of a label: "name": "TOKEN",
// key="TOKEN".
func (t *scanner) labelled(i int) bool {
	s := t.s
	for i > 0 && labelGap[s[i-1]] {
		i--
	}
	if i == 0 || s[i-1] != ':' && s[i-1] != '=' {
		return false
	}
	for i--; i > 0 && labelGap[s[i-1]]; {
		i--
	}
	first := i
	for first > 0 && nameBytes[s[first-1]] && first > i-maxNameRead {
		first--
	}
	return labelNames[foldName(s[first:i])]
}

// group is what stands around a place, up to the braces or the tag, or to the
// items before and behind it in a list of YAML.
func (t *scanner) group(i, at int) (begin, end int) {
	s := t.s
	for begin = i; begin > 0 && begin > i-lookahead; begin-- {
		if c := s[begin-1]; c == '{' || c == '<' || c == '}' || c == '>' {
			break
		}
		if strings.HasPrefix(s[begin-1:], "- ") && (begin == 1 || s[begin-2] == '\n' || s[begin-2] == ' ') {
			break
		}
		if strings.HasPrefix(s[begin-1:], "\n\n") {
			break
		}
	}
	for end = at; end < len(s) && end < at+lookahead; end++ {
		if c := s[end]; c == '{' || c == '<' || c == '}' || c == '>' {
			break
		}
		if s[end] == '\n' {
			rest := strings.TrimLeft(s[end+1:], " ")
			if strings.HasPrefix(rest, "- ") || strings.HasPrefix(rest, "\n") {
				break
			}
		}
	}
	return begin, end
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
