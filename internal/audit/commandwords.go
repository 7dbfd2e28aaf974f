package audit

import "strings"

// commandWords is what is known of the command that is being read.
type commandWords struct {
	// sets says that the next word that is no flag is a name, and its value follows.
	sets settingNext
}

type settingNext uint8

const (
	setsNothing settingNext = iota
	setsPlain               // set NAME value: only names that look like one of a variable
	setsAny                 // config set name value
)

// commandWord follows the words of a command, for secrets whose name does not
// stand beside them. It reports whether it has hidden something.
func (t *scanner) commandWord(i, end int) bool {
	s := t.s
	begins := i == 0 || startsWord(s[i-1])
	if !begins {
		return false
	}
	word := s[i:end]
	switch word {
	case "set", "setenv", "setx":
		switch {
		case t.words.sets == setsAny || word == "setenv":
			t.words.sets = setsAny
		default:
			t.words.sets = setsPlain
		}
		return false
	case "config", "configure":
		t.words.sets = setsNothing
		if before := strings.TrimRight(s[:i], " "); strings.HasSuffix(before, "git") || nextWord(s, end) == "set" {
			t.words.sets = setsAny
		}
		return false
	case "echo", "printf":
		return t.piped(end)
	case "Private-Lines":
		return t.puttyKey(end)
	case "password", "passwd":
		return t.netrc(i, end)
	}
	if strings.HasSuffix(word, "-stdin") || word == "--with-token" {
		return t.hereString(end)
	}
	if (end == len(s) || s[end] == ' ') && slashStarts[word[0]] && slashPrograms[word] {
		return t.slashLogin(end)
	}
	if i > 0 && s[i-1] == ' ' && s[i] != '-' && (end == len(s) || s[end] == ' ') && t.words.sets != setsNothing && !t.setsNext(i, word) {
		t.words.sets = setsNothing
	}
	return false
}

func nextWord(s string, at int) string {
	rest := strings.TrimLeft(s[at:min(len(s), at+64)], " ")
	if end := strings.IndexByte(rest, ' '); end >= 0 {
		return rest[:end]
	}
	return rest
}

// setsNext reports whether the value of this name is the next word: set -x NAME
// value, config set name value.
func (t *scanner) setsNext(i int, name string) bool {
	switch t.words.sets {
	case setsAny:
		return meaningOf(name) == secret
	case setsPlain:
		return strings.ToLower(name) != name && strings.Contains(name, "_") && meaningOf(name) == secret && !proseAfter(t.s, i+len(name))
	}
	return false
}

// proseAfter reports whether a sentence goes on: set API_KEY before you run it.
func proseAfter(s string, at int) bool {
	switch nextWord(s, at) {
	case "in", "to", "for", "before", "as", "on", "via", "and", "or", "from", "with", "when", "if", "is", "first", "by", "at", "then", "after":
		return true
	}
	return false
}

// maxCommand is how far the end of a command is looked for, so that many short
// ones without an end cost no more than their length.
const maxCommand = 2 << 10

// commandEnd is the end of the simple command at a place: a separator outside
// quotes.
func commandEnd(s string, at int) int {
	s = s[:min(len(s), at+maxCommand)]
	for at < len(s) {
		switch s[at] {
		case '"', '\'':
			at = quoteEnd(s, at)
			continue
		case '\\':
			at++
		case '|', ';', '&', '\n', ')', '`':
			return at
		}
		at++
	}
	return len(s)
}

// takers are words of commands that read a secret from their input.
var takers = []string{"-stdin", "--with-token", "chpasswd", "sudo -S", "sudo -kS", "--passphrase-fd", "-passin stdin", "secret create", "secrets set", "secret set", "cryptsetup"}

// piped hides what echo writes into a command that takes a secret.
func (t *scanner) piped(from int) bool {
	s := t.s
	end := commandEnd(s, from)
	if end+1 >= len(s) || s[end] != '|' || s[end+1] == '|' {
		return false
	}
	taker := s[end+1 : min(len(s), end+1+lookahead)]
	taker = taker[:commandEnd(taker, 0)]
	takes := false
	for _, word := range takers {
		takes = takes || strings.Contains(taker, word)
	}
	for takes {
		for from < end && (s[from] == ' ' || s[from] == '\t') {
			from++
		}
		word := wordEnd(s, from)
		if word > end || word <= from || s[from] != '-' {
			break
		}
		from = word
	}
	to := end
	for to > from && (s[to-1] == ' ' || s[to-1] == '\t') {
		to--
	}
	if !takes || to <= from || isReference(strings.Trim(s[from:to], `"'`)) {
		return false
	}
	t.hide(from, to)
	return true
}

// hereString hides what stands behind <<< in a command that takes a secret.
func (t *scanner) hereString(from int) bool {
	s := t.s
	end := commandEnd(s, from)
	at := strings.Index(s[from:end], "<<<")
	if at < 0 {
		return false
	}
	at += from + len("<<<")
	for at < end && s[at] == ' ' {
		at++
	}
	to := wordEnd(s, at)
	if to <= at || isReference(strings.Trim(s[at:to], `"'`)) {
		return false
	}
	t.hide(at, to)
	return true
}

// netrc hides the password of a line: machine h login u password p.
func (t *scanner) netrc(i, end int) bool {
	s := t.s
	before := strings.Fields(s[max(0, i-2*maxName):i])
	if n := len(before); n < 2 || before[n-2] != "login" && before[n-2] != "machine" && before[n-2] != "account" {
		return false
	}
	at := end
	for at < len(s) && (s[at] == ' ' || s[at] == '\t' || s[at] == '\n') {
		at++
	}
	to := at
	for to < len(s) && !wordEnds[s[to]] {
		to++
	}
	if at == end || to == at {
		return false
	}
	t.hide(at, to)
	return true
}

// puttyKey hides the private lines of a PuTTY key file.
func (t *scanner) puttyKey(from int) bool {
	s := t.s
	start := strings.IndexAny(s[from:min(len(s), from+64)], "\n\\")
	if start < 0 || !strings.HasPrefix(s[from:], ":") {
		return false
	}
	start += from
	end := len(s)
	if next := strings.Index(s[start:], "Private-MAC"); next >= 0 {
		end = start + next
	}
	t.hide(start, end)
	return true
}

// slashPrograms take user/password@place.
var slashPrograms = set("sqlplus", "sqlldr", "rman", "expdp", "impdp", "sqlcl")

// slashStarts are their first bytes.
var slashStarts = func() (starts [256]bool) {
	for name := range slashPrograms {
		starts[name[0]] = true
	}
	return starts
}()

func (t *scanner) slashLogin(from int) bool {
	s := t.s
	end := commandEnd(s, from)
	for at := from; at < end; {
		for at < end && (s[at] == ' ' || s[at] == '\t') {
			at++
		}
		to := wordEnd(s, at)
		if to <= at || to > end {
			return false
		}
		word := s[at:to]
		slash := strings.IndexByte(word, '/')
		if word[0] == '-' || word[0] == '/' || word[0] == '@' || slash < 0 || slash+1 == len(word) {
			at = to
			continue
		}
		secret := at + slash + 1
		stop := to
		if quoted := word[0] == '"' || word[0] == '\''; quoted {
			stop--
		}
		if sign := strings.LastIndexByte(s[secret:stop], '@'); sign >= 0 {
			stop = secret + sign
		}
		if stop <= secret || isReference(s[secret:stop]) {
			return false
		}
		t.hide(secret, stop)
		return true
	}
	return false
}
