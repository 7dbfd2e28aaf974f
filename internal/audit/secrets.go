package audit

import "strings"

// hideSecrets replaces what looks like a secret in a text: the values of secret
// names (in assignments, flags, headers, JSON, URLs), user names and passwords
// of URLs, tokens of known shapes, private keys. A text without any is returned
// as it is. It hides too much rather than too little, but keeps $VARIABLE, which
// says where a secret is and not what it is.
func hideSecrets(s string) string { return hideSecretsTold(s, nil) }

// hideSecretsTold is hideSecrets, and tells an encoder of each part that it hides.
func hideSecretsTold(s string, told *encoder) string {
	t := scanner{s: s, of: s, told: told}
	t.scan()
	shown := t.shown()
	if disguised(shown) {
		t = scanner{of: shown, told: told}
		t.s, t.at = undisguise(shown)
		t.scan()
		shown = t.shown()
	}
	return shown
}

func (t *scanner) scan() {
	for t.i < len(t.s) {
		if !interesting[t.s[t.i]] {
			t.separated(t.s[t.i])
			t.i++
			continue
		}
		t.next()
	}
}

func (t *scanner) shown() string {
	if t.out == nil {
		return t.of
	}
	return string(append(t.out, t.of[t.done:]...))
}

// scanner goes over a text once.
type scanner struct {
	s       string
	of      string        // the text that s stands for
	at      []int32       // where in it each byte of s stands; nil: at the same place
	i       int           // what is looked at
	done    int           // up to here the text was copied or replaced
	program []programFlag // of the command that is being read
	words   commandWords
	told    *encoder // that remembers what was hidden; nil: none
	out     []byte
}

// interesting are the bytes of names, and those that start something else.
var interesting = byteSet(alphanumeric + "_-:")

const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

func byteSet(chars string) *[256]bool {
	var set [256]bool
	for i := range len(chars) {
		set[chars[i]] = true
	}
	return &set
}

var (
	nameBytes  = byteSet(alphanumeric + "_-")
	tokenBytes = byteSet(alphanumeric + "_-")
	wideBytes  = byteSet(alphanumeric + "_-.=~+/")
	wordEnds   = byteSet(" \t\r\n")
	valueEnds  = byteSet(" \t\r\n;|&<>()\"'`")
	lineEnds   = byteSet("\r\n\"'`")
)

// separated forgets the program at the end of its command.
func (t *scanner) separated(c byte) {
	switch c {
	case ';', '|', '&', '\n':
		t.program = nil
		t.words = commandWords{}
	}
}

// hide replaces a part of the text, and goes on behind it.
func (t *scanner) hide(from, to int) {
	if t.out == nil {
		t.out = make([]byte, 0, len(t.s)+2*len(redacted))
	}
	t.i = to
	if t.at != nil {
		from, to = int(t.at[from]), int(t.at[to])
	}
	if t.told != nil {
		t.told.know(t.of[from:to])
	}
	t.out = append(append(t.out, t.of[t.done:from]...), redacted...)
	t.done = to
}

func (t *scanner) next() {
	s, i := t.s, t.i
	if s[i] == ':' {
		if strings.HasPrefix(s[i:], "://") && t.authority(i+3) {
			return
		}
		t.i++
		return
	}
	if s[i] == '-' && t.privateKey() {
		return
	}
	end := i
	for end < len(s) && nameBytes[s[end]] {
		end++
	}
	if t.programWord(i, end) || t.commandWord(i, end) {
		return
	}
	if from, to := t.shaped(i, end); to > 0 {
		t.hide(from, to)
		return
	}
	if from, to := t.named(i, end); to > from {
		t.hide(from, to)
		return
	}
	t.i = end
}

// authority hides the user of a URL.
func (t *scanner) authority(from int) bool {
	s := t.s
	end, at, colon := from, -1, -1
	for end < len(s) && s[end] > ' ' && s[end] != '"' && s[end] != '\'' && s[end] != '<' && s[end] != '>' && s[end] != '`' {
		c := s[end]
		if c == '@' {
			at = end
		}
		if c == ':' && colon < 0 {
			colon = end
		}
		if c == '/' || c == '?' || c == '#' || c == '\\' {
			// A password may hold such a byte: what stands where a port would is none.
			if at >= 0 || colon < 0 || allDigits(s[colon+1:end]) || s[from] == '[' {
				break
			}
			if next := strings.IndexByte(s[end:min(len(s), end+lookahead)], '@'); next < 0 {
				break
			}
		}
		end++
	}
	switch {
	case at > from:
		if user := s[from:at]; user != "git" { // the one name that everybody uses
			t.hide(from, at)
			return true
		}
	case at < 0 && colon > from && s[from] != '[' && !allDigits(s[colon+1:end]) && !strings.ContainsAny(s[colon+1:end], "$%{,"):
		t.hide(colon+1, end)
		return true
	}
	return false
}

const keyBegins = "-----BEGIN "

// privateKey hides a PEM block that holds one, up to its end or the text's.
func (t *scanner) privateKey() bool {
	s := t.s[t.i:]
	if !strings.HasPrefix(s, keyBegins) {
		return false
	}
	title, _, ok := strings.Cut(s[len(keyBegins):min(len(s), len(keyBegins)+80)], "-----")
	if !ok || !strings.Contains(title, "PRIVATE") {
		return false
	}
	body := len(keyBegins) + len(title) + len("-----")
	end := strings.Index(s[body:], "-----END")
	if end < 0 {
		t.hide(t.i+body, len(t.s))
		return true
	}
	t.hide(t.i+body, t.i+body+end)
	t.i += len("-----END")
	return true
}

// named hides the value that a secret name has: NAME=value, "name": "value",
// --name value, <name>value<.
func (t *scanner) named(i, end int) (from, to int) {
	s := t.s
	name := s[i:end]
	at := end
	// Behind the name: the quotes that close it, and blanks.
	for at < len(s) && (s[at] == '"' || s[at] == '\'' || s[at] == '\\' || s[at] == ']') && at < end+4 {
		at++
	}
	closed := at
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
	case c == '>' && i > 0 && s[i-1] == '<':
		style = element
		at++
	case name[0] == '-' && at > closed && closed == end:
		style = flagged
	case at > closed && (c == '"' || c == '\''):
		style = flagged
	case at > closed && isScheme(name):
		return t.scheme(name, at)
	case at > closed && t.setsNext(i, name):
		style = flagged
	case s[at] == '\n' && t.valueBeside(at) > 0 && t.textMeaning(i, name, assigned) != harmless:
		value := t.valueBeside(at)
		return value, t.besideEnd(value)
	default:
		return 0, 0
	}
	meaning := t.textMeaning(i, name, style)
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
	element                    // <name>value<
)

// textNames are short names that are secrets also within a text.
var textNames = set("pass", "userpass", "cvv", "cvc", "connectionstring", "dsn")

// textMeaning reads a name within a text, where short words are often prose.
func (t *scanner) textMeaning(i int, name string, style valueStyle) meaning {
	bare := strings.TrimLeft(name, "-")
	inQuery := i > 0 && (t.s[i-1] == '?' || t.s[i-1] == '&')
	folded := foldName(bare)
	switch {
	case inQuery && (folded == "key" || folded == "sig" || folded == "signature" || folded == "auth" || folded == "code" ||
		strings.HasSuffix(folded, "signature") || strings.HasSuffix(folded, "credential")):
		return secret
	case style <= headed && t.twoWordKey(i, folded):
		return secret
	case textNames[folded], folded == "auth" && style == flagged && name[0] == '-', folded == "pin" && style == assigned:
		return secret
	case wholeNames[folded]:
		return harmless
	}
	return meaningOf(bare)
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
		if end := blockEnd(s, t.lineIndent(i), at); end > 0 {
			return at, end
		}
	}
	if style == headed && at < len(s) && (s[at] == '\n' || s[at] == '\r') {
		// Indented JSON or YAML puts a value on the next line; prose does not.
		return at, at
	}
	if at == len(s) {
		return at, at
	}
	switch {
	case style == element:
		if end := strings.IndexByte(s[at:], '<'); end >= 0 {
			return at, at + end
		}
		return at, len(s)
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
		return at, upTo(s, at, lineEnds)
	case style == headed && s[at] != '"' && s[at] != '\'' && s[at] != '`':
		return at, upTo(s, at, valueEnds)
	}
	return at, wordEnd(s, at)
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
