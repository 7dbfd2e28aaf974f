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
	if splitWord(shown) {
		t = scanner{of: shown, told: told}
		t.s, t.at = joinWords(shown)
		t.scan()
		shown = t.shown()
	}
	return shown
}

func (t *scanner) scan() {
	for t.i < len(t.s) {
		if len(t.later) > 0 && t.i >= t.later[0].from {
			t.due()
			continue
		}
		switch c := t.s[t.i]; {
		case interesting[c]:
			t.next()
		case c == '<' && t.hereInput():
		case c == '%' || c == '\\':
			t.i += 1 + escapeTail(t.s[t.i:])
		default:
			t.separated(c)
			t.i++
		}
	}
}

// due hides the first of what was to be hidden later, or what is left of it.
func (t *scanner) due() {
	next := t.later[0]
	t.later = t.later[1:]
	if from := max(t.i, next.from); from < next.to {
		t.hide(from, next.to)
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
	command int           // where the command that is being read begins
	done    int           // up to here the text was copied or replaced
	program []programFlag // of the command that is being read
	words   commandWords
	later   []span   // of s that are to be hidden when they are reached, in their order
	table   int      // where the table that was read last ends
	spans   *[]span  // of s that were hidden; nil: nobody asks
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
	case '\n':
		if before := strings.TrimSuffix(t.s[:t.i], "\r"); strings.HasSuffix(before, `\`) {
			return // the command goes on in the next line
		}
		t.tableBehind(t.i + 1)
		fallthrough
	case ';', '|', '&':
		t.program = nil
		t.words = commandWords{}
		t.command = t.i + 1
	}
}

// hide replaces a part of the text, and goes on behind it.
func (t *scanner) hide(from, to int) {
	if t.out == nil {
		t.out = make([]byte, 0, len(t.s)+2*len(redacted))
	}
	t.i = to
	if t.spans != nil {
		*t.spans = append(*t.spans, span{from, to})
	}
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
		if strings.HasPrefix(s[i:], "://") && t.authority(i+3) || t.bareLogin(i) {
			return
		}
		t.i++
		return
	}
	end := i
	for end < len(s) && nameBytes[s[end]] {
		end++
	}
	if end-i >= 4 && (s[i] == '-' || end-i > len("-----BEGIN")) {
		if at := strings.Index(s[i:end], "----"); at >= 0 && t.privateKey(i+at) {
			return
		}
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

// bareLogin hides the password of user:password@host:port and of
// user:password@tcp(host), which have no scheme in front, and of user:password@host
// as the programs take it that have nothing else in that place.
func (t *scanner) bareLogin(colon int) bool {
	s := t.s
	if colon == 0 || !nameBytes[s[colon-1]] {
		return false
	}
	end, at := colon+1, -1
	for end < len(s) && !valueEnds[s[end]] && end < colon+lookahead {
		if s[end] == '@' {
			at = end
		}
		end++
	}
	if at <= colon+1 {
		return false
	}
	host := s[at+1 : end]
	_, port, ok := strings.Cut(host, ":")
	digits := runOf(port, 0, byteSetDigits)
	inNetwork := end < len(s) && s[end] == '(' && (host == "tcp" || host == "unix")
	name := strings.TrimRight(s[max(0, colon-maxKey):colon], alphanumeric+"_-.")
	relative := strings.HasSuffix(name, "//") // a URL that takes its scheme from where it stands
	ofProgram := t.words.logins && !strings.Contains(s[colon+1:at], "/")
	if !ofProgram && !inNetwork && !relative && (!ok || digits == 0 || digits < len(port) && port[digits] != '/') || isReference(s[colon+1:at]) {
		return false
	}
	t.hide(colon+1, at)
	return true
}

var byteSetDigits = byteSet("0123456789")

// privateKey hides a PEM block that holds one, or a key of SSH2, up to its end or
// the text's. The line that begins it may be written in any case and with blanks
// or further hyphens, as who reads it may take it.
func (t *scanner) privateKey(i int) bool {
	s := t.s[i:]
	word := runOf(s, 0, hyphen)
	for word < len(s) && s[word] == ' ' {
		word++
	}
	const begin = "BEGIN "
	if len(s) < word+len(begin) || !strings.EqualFold(s[word:word+len(begin)], begin) {
		return false
	}
	title, rest, ok := strings.Cut(s[word+len(begin):min(len(s), word+len(begin)+80)], "----")
	if !ok || !strings.Contains(strings.ToUpper(title), "PRIVATE") {
		return false
	}
	body := word + len(begin) + len(title) + len("----") + runOf(rest, 0, hyphen)
	// The end must be that of a private key: others may stand in between.
	end := body
	for {
		next := strings.Index(s[end:], "----")
		if next < 0 {
			t.hide(i+body, len(t.s))
			return true
		}
		end += next
		closing := end + runOf(s[end:], 0, hyphen)
		line := strings.ToUpper(strings.TrimLeft(s[closing:min(len(s), closing+80)], " "))
		if strings.HasPrefix(line, "END ") && strings.Contains(strings.SplitN(line, "----", 2)[0], "PRIVATE") {
			t.hide(i+body, i+end)
			t.i = i + closing
			return true
		}
		end = closing
	}
}

var hyphen = byteSet("-")
