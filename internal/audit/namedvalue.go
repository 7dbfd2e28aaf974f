package audit

import "strings"

// named hides the value that a secret name has: NAME=value, "name": "value",
// --name value, <name>value</name>.
func (t *scanner) named(i, end int) (from, to int) {
	s := t.s
	name := s[i:end]
	at := end
	// Behind the name: the quotes that close it, and blanks.
	for at < len(s) && (s[at] == '"' || s[at] == '\'' || s[at] == '\\' || s[at] == ']' || s[at] == '`' || s[at] == '*') && at < end+4 {
		at++
	}
	closed := at
	if i > 0 {
		if c := s[i-1]; closed < len(s) && (c == '<' || c == ':' || c == '>' || s[closed] == '>') {
			if from, to := t.elementValue(i, closed, name); to > from {
				return from, to
			}
		}
		if t.labelled(i) {
			if from, to := t.valueInGroup(i, closed, name); to > from {
				return from, to
			}
		}
	}
	if closed > end {
		if t.firstOfPair(i) && closed < len(s) && s[closed] == ',' && t.textMeaning(i, name, assigned) != harmless {
			for at = closed + 1; at < len(s) && (s[at] == ' ' || s[at] == '\n'); at++ {
			}
			return at, t.besideEnd(at)
		}
		if value := t.valueBeside(closed); value > 0 && t.textMeaning(i, name, assigned) != harmless {
			return value, t.besideEnd(value)
		}
	}
	for at < len(s) && (s[at] == ' ' || s[at] == '\t') {
		at++
	}
	if at == len(s) {
		return 0, 0
	}
	var style valueStyle
	switch c := s[at]; {
	case c == '=':
		style = assigned
		for at++; at < len(s) && (s[at] == '=' || s[at] == '>'); at++ {
		}
	case c == ':':
		style = headed
		if at++; at < len(s) && s[at] == '=' {
			at++
		}
		if strings.HasPrefix(s[at:], "//") {
			return 0, 0 // a URL
		}
	case name[0] == '-' && at > closed && closed == end:
		style = flagged
	case at > closed && (c == '"' || c == '\''):
		style = flagged
	case isScheme(name) && strings.HasPrefix(s[at:], "%20"):
		return t.scheme(name, at+len("%20"))
	case at > closed && isScheme(name):
		return t.scheme(name, at)
	case at > closed && t.setsNext(i, name):
		style = flagged
	case at > closed && s[at]|0x20 <= 'w' && states(s, at) > 0:
		return t.stated(i, name, states(s, at))
	case s[at] == '\n' && t.valueBeside(at) > 0 && t.textMeaning(i, name, assigned) != harmless:
		value := t.valueBeside(at)
		return value, t.besideEnd(value)
	default:
		return 0, 0
	}
	meaning := t.textMeaning(i, name, style)
	if style == assigned && t.words.assigns && name[0] != '-' {
		meaning = secret
	}
	if meaning == harmless {
		return 0, 0
	}
	from, to = t.valueOf(i, name, at, style)
	switch value := strings.Trim(s[from:to], `"'\`); {
	case value == "", isReference(value), isConstant(value),
		meaning == countable && allDigits(value), isWorkingDirectory(name, value):
		return 0, 0
	}
	return from, to
}

// valueStyle is how a value stands behind its name.
type valueStyle uint8

const (
	assigned valueStyle = iota // name=value
	headed                     // name: value
	flagged                    // --name value
)

// textNames are short names that are secrets also within a text.
var textNames = set("pass", "userpass", "cvv", "cvc", "connectionstring", "dsn")

// textMeaning reads a name within a text, where short words are often prose.
func (t *scanner) textMeaning(i int, name string, style valueStyle) meaning {
	bare := strings.TrimLeft(name, "-")
	inQuery := t.inQuery(i)
	folded := foldName(bare)
	switch {
	case inQuery && (folded == "key" || folded == "sig" || folded == "signature" || folded == "auth" || folded == "code" ||
		folded == "hmac" || folded == "assertion" || folded == "sid" ||
		strings.HasSuffix(folded, "signature") || strings.HasSuffix(folded, "credential")):
		return secret
	case style <= headed && t.twoWordKey(i, folded):
		return secret
	case style != headed && (name == "AUTH" || name == "_auth"):
		return secret // the credential of npm, and a variable
	case textNames[folded], folded == "auth" && style == flagged && name[0] == '-', folded == "pin" && style == assigned:
		return secret
	case wholeNames[folded]:
		return harmless
	}
	return meaningOf(bare)
}

// inQuery reports whether a name stands where a parameter of a URL begins, also
// of one that is written within a URL or JSON.
func (t *scanner) inQuery(i int) bool {
	if i == 0 {
		return false
	}
	before := t.s[max(0, i-6):i]
	switch before[len(before)-1] {
	case '?', '&', '#':
		return true
	case ';':
		return strings.HasSuffix(before, "&amp;")
	}
	return strings.HasSuffix(before, "%26") || strings.HasSuffix(before, "%3F") || strings.HasSuffix(before, "%3f") || strings.HasSuffix(before, "%23") ||
		strings.HasSuffix(before, `\u0026`)
}

// wholeLine are names of headers whose value is the rest of the line.
func wholeLine(name string) bool {
	f := foldName(name)
	for _, end := range [...]string{"authorization", "cookie", "password", "passwd", "passphrase", "secret", "credentials"} {
		if strings.HasSuffix(f, end) {
			return true
		}
	}
	return false
}

// valueOf finds where the value starts and ends.
func (t *scanner) valueOf(i int, name string, at int, style valueStyle) (from, to int) {
	s := t.s
	spaced := at < len(s) && s[at] == ' '
	for at < len(s) && (s[at] == ' ' || s[at] == '\t') {
		at++
	}
	if style == headed {
		block := at
		for block < len(s) && s[block] == '!' { // a tag of YAML: !vault |
			block = upTo(s, block, wordEnds)
			for block < len(s) && s[block] == ' ' {
				block++
			}
		}
		if end := blockEnd(s, t.lineIndent(i), block); end > 0 {
			return at, end
		}
	}
	if style == headed && at < len(s) && (s[at] == '\n' || s[at] == '\r') {
		return t.nextLine(i, at)
	}
	if at == len(s) {
		return at, at
	}
	switch {
	case s[at] == '`':
		if end := strings.IndexByte(s[at+1:], '`'); end >= 0 {
			return at + 1, at + 1 + end
		}
		return at, at
	case strings.HasPrefix(s[at:], `\"`) || strings.HasPrefix(s[at:], `\'`):
		for end := at + 2; end+1 < len(s); end++ {
			if s[end] == '\\' {
				if s[end+1] == s[at+1] {
					return at + 2, end
				}
				end++
			}
		}
		return at + 2, len(s)
	case s[at] == '[' || s[at] == '{':
		if style == headed {
			return at, bracketEnd(s, at)
		}
	case style <= headed && spaced && s[at] != '"' && s[at] != '\'' && wholePhrase(name),
		style == headed && s[at] != '"' && s[at] != '\'' && wholeLine(name):
		return at, t.lineEnd(i, at)
	case style == headed && s[at] != '"' && s[at] != '\'' && s[at] != '`':
		return at, upTo(s, at, valueEnds)
	}
	return at, wordEnd(s, at)
}

// nextLine finds a value that indented JSON or YAML puts on the line behind its
// name: a text in quotes, or one word that is further indented. Prose goes on with
// more words.
func (t *scanner) nextLine(i, at int) (from, to int) {
	s := t.s
	line := at
	for at < len(s) && wordEnds[s[at]] {
		if s[at] == '\n' {
			line = at + 1
		}
		at++
	}
	switch {
	case at == len(s):
		return at, at
	case s[at] == '"' || s[at] == '\'':
		return at, quoteEnd(s, at)
	case at-line <= t.lineIndent(i) || s[at] == '-' || s[at] == '#':
		return at, at
	}
	to = upTo(s, at, wordEnds)
	if s[to-1] == ':' || to < len(s) && s[to] != '\n' && s[to] != '\r' {
		return at, at
	}
	return at, to
}

// lineEnd is where the value of a header ends. A header in quotes, as a command
// gets it, ends with these, whatever quotes it holds.
func (t *scanner) lineEnd(i, at int) int {
	if i > 0 && (t.s[i-1] == '"' || t.s[i-1] == '\'') {
		end := at
		for end < len(t.s) && t.s[end] != t.s[i-1] && t.s[end] != '\n' && t.s[end] != '\r' {
			if t.s[end] == '\\' && end+1 < len(t.s) && t.s[end+1] == t.s[i-1] {
				if end == at || t.s[i-1] != '"' {
					break
				}
				end++
			}
			end++
		}
		return end
	}
	return upTo(t.s, at, lineEnds)
}

func upTo(s string, at int, ends *[256]bool) int {
	for at < len(s) && !ends[s[at]] {
		at++
	}
	return at
}

// wordEnd is the end of a word as a shell reads it, quotes and escapes included.
func wordEnd(s string, at int) int {
	for at < len(s) {
		switch c := s[at]; {
		case c == '"' || c == '\'':
			end := quoteEnd(s, at)
			if end >= len(s) {
				return len(s)
			}
			at = end
			if at < len(s) && !nameBytes[s[at]] && s[at] != '"' && s[at] != '\'' && s[at] != '\\' && s[at] != '$' {
				return at
			}
		case c == '\\' && at+1 < len(s):
			if s[at+1] == '"' || s[at+1] == '\'' || s[at+1] == 'n' {
				return at // the end of a text within a text
			}
			at += 2
		case valueEnds[c]:
			return at
		default:
			at++
		}
	}
	return min(at, len(s))
}

// quoteEnd is the place behind the quote that closes the one at the start.
func quoteEnd(s string, at int) int {
	quote := s[at]
	for at++; at < len(s); at++ {
		switch s[at] {
		case '\\':
			at++
		case quote:
			return at + 1
		}
	}
	return len(s)
}

// bracketEnd is the place behind the bracket that closes the one at the start.
func bracketEnd(s string, at int) int {
	depth := 0
	for at < len(s) {
		switch s[at] {
		case '"':
			at = quoteEnd(s, at)
			continue
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return at + 1
			}
		}
		at++
	}
	return len(s)
}

// isReference accepts $NAME and ${NAME}.
func isReference(v string) bool {
	if len(v) < 2 || v[0] != '$' {
		return false
	}
	v = v[1:]
	if v[0] == '{' && v[len(v)-1] == '}' {
		v = v[1 : len(v)-1]
	}
	for i := range len(v) {
		if c := v[i]; !isLower(c) && !isUpper(c) && !isDigit(c) && c != '_' {
			return false
		}
	}
	return len(v) > 0
}

func isConstant(v string) bool {
	switch v {
	case "true", "false", "null", "none", "None", redacted:
		return true
	}
	return false
}

// isScheme accepts the first word of an Authorization header.
func isScheme(name string) bool {
	return len(name) >= 5 && len(name) <= 6 && (strings.EqualFold(name, "bearer") || strings.EqualFold(name, "basic"))
}

// scheme hides what stands behind "Bearer" or "Basic".
func (t *scanner) scheme(name string, at int) (from, to int) {
	end := runOf(t.s, at, wideBytes)
	value := t.s[at:end]
	switch {
	case len(value) < 6:
		return 0, 0
	case strings.EqualFold(name, "basic") && strings.ToLower(value) == value && !strings.ContainsAny(value, "0123456789=+/"):
		return 0, 0 // a basic something
	}
	return at, end
}

func runOf(s string, at int, members *[256]bool) int {
	for at < len(s) && members[s[at]] {
		at++
	}
	return at
}
