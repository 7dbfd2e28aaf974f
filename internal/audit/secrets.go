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
