package audit

import "strings"

// commandWords is what is known of the command that is being read.
type commandWords struct {
	// sets says that the next word that is no flag is a name, and its value follows.
	sets settingNext
	// assigns says that all values of the command are secrets: secrets set A=1.
	assigns bool
	// logins says that operands of the command can be user:password@host.
	logins bool
	// starts counts the words that may begin a command of places.
	starts int
}

type settingNext uint8

const (
	setsNothing settingNext = iota
	setsPlain               // set NAME value: only names that look like one of a variable
	setsAny                 // config set name value
	setsEvery               // the same, anywhere in the command
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
	if placeBytes[word[0]] && placeStarts[word] {
		t.inPlace(i, end)
	}
	switch word {
	case "nmcli", "rclone":
		t.words.sets = setsEvery
	case "ENV":
		t.words.sets = setsAny // of a Dockerfile
		return false
	case "set", "setenv", "setx", "put":
		if before := strings.TrimRight(s[t.command:i], " "); strings.HasSuffix(before, "secret") || strings.HasSuffix(before, "secrets") || strings.HasSuffix(before, " kv") {
			t.words.assigns = true
		}
		switch {
		case word == "put", t.words.sets == setsEvery:
		case t.words.sets == setsAny || word == "setenv":
			t.words.sets = setsAny
		default:
			t.words.sets = setsPlain
		}
		return false
	case "--from-literal":
		t.words.assigns = true
		return false
	case "config", "configure":
		if strings.HasPrefix(s[end:], ":set") {
			t.words.assigns = true
			return false
		}
		if t.words.sets == setsEvery {
			return false
		}
		t.words.sets = setsNothing
		if before := strings.TrimRight(s[:i], " "); strings.HasSuffix(before, "git") || nextWord(s, end) == "set" {
			t.words.sets = setsAny
		}
		return false
	case "echo", "printf", "yes":
		return t.piped(end)
	case "Private-Lines":
		return t.puttyKey(end)
	case "password", "passwd":
		return t.netrc(i, end)
	}
	if loginStarts[word[0]] && loginPrograms[word] {
		t.words.logins = true
		return false
	}
	if (end == len(s) || s[end] == ' ') && slashStarts[word[0]] && slashPrograms[word] {
		return t.slashLogin(end)
	}
	if i > 0 && s[i-1] == ' ' && s[i] != '-' && (end == len(s) || s[end] == ' ') && t.words.sets != setsNothing && t.words.sets != setsEvery && !t.setsNext(i, word) {
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
	case setsAny, setsEvery:
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
var takers = []string{
	"-stdin", "--with-token", "chpasswd", "smbpasswd", "sudo -S", "sudo -kS", "--passphrase-fd", "-passin stdin", "secret create", "secrets create",
	"secrets set", "secret set", "secret put", "secrets put", "versions add", "cryptsetup", "kinit", "pass insert", "vault login", "obscure -",
	"vercel env add", "vercel env update", "secrets:set", "secrets import", "secret:create", "secret-tool store", "keyring set", "encrypt_string", "-pass stdin",
}

// takesSecret reports whether one of the commands of a line reads a secret from
// its input.
func takesSecret(line string) bool {
	for _, words := range takers {
		if strings.Contains(line, words) {
			return true
		}
	}
	line = strings.TrimPrefix(strings.TrimLeft(line, " "), "sudo ")
	return strings.HasPrefix(line, "passwd")
}

// piped hides what echo writes into a command that takes a secret.
func (t *scanner) piped(from int) bool {
	s := t.s
	end := commandEnd(s, from)
	if end+1 >= len(s) || s[end] != '|' || s[end+1] == '|' {
		return false
	}
	taker := s[end+1 : min(len(s), end+1+lookahead)]
	taker = taker[:commandEnd(taker, 0)]
	takes := takesSecret(taker)
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

// hereInput hides what <<< and << give to a command that takes a secret.
func (t *scanner) hereInput() bool {
	s := t.s
	if !strings.HasPrefix(s[t.i:], "<<") || t.i > 0 && s[t.i-1] == '<' {
		return false
	}
	line := s[t.command:min(len(s), t.i+maxCommand)]
	line = line[max(0, t.i-t.command-maxCommand):]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	if !takesSecret(line) {
		return false
	}
	at := t.i + len("<<")
	if here := strings.HasPrefix(s[at:], "<"); !here {
		return t.hereDocument(at)
	}
	for at++; at < len(s) && s[at] == ' '; at++ {
	}
	to := wordEnd(s, at)
	if to <= at || isReference(strings.Trim(s[at:to], `"'`)) {
		return false
	}
	t.hide(at, to)
	return true
}

// hereDocument hides the lines up to the one that ends a here-document.
func (t *scanner) hereDocument(at int) bool {
	s := t.s
	for at < len(s) && (s[at] == '-' || s[at] == ' ') {
		at++
	}
	word := upTo(s, at, valueEnds)
	if word < len(s) && (s[word] == '"' || s[word] == '\'') {
		word = wordEnd(s, at)
	}
	end := strings.Trim(s[at:word], "\"'\\")
	from := strings.IndexByte(s[word:], '\n')
	if from < 0 || end == "" {
		return false
	}
	from += word + 1
	to := len(s)
	for line := from; line < len(s); {
		next := strings.IndexByte(s[line:], '\n')
		if next < 0 {
			next = len(s) - line
		}
		if strings.Trim(s[line:line+next], "\t\r") == end {
			to = line
			break
		}
		line += next + 1
	}
	if strings.TrimSpace(s[from:to]) == "" || isReference(strings.TrimSpace(s[from:to])) {
		return false
	}
	if s[to-1] == '\n' && to < len(s) {
		to--
	}
	t.hide(from, to)
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

// loginPrograms are those to whom user:password@host is one to log in at.
var loginPrograms = set("scp", "sftp", "pscp", "psftp", "rsync", "ftp", "lftp", "ncftp", "ssh", "sshfs", "plink", "mosh", "smbclient", "curlftpfs",
	"psexec", "wmiexec", "smbexec", "secretsdump", "evil-winrm")

var loginStarts = firstBytes(loginPrograms)

func firstBytes(names map[string]bool) (starts [256]bool) {
	for name := range names {
		starts[name[0]] = true
	}
	return starts
}

// slashPrograms take user/password@place.
var slashPrograms = set("sqlplus", "sqlldr", "rman", "expdp", "impdp", "sqlcl")

// slashStarts are their first bytes.
var slashStarts = firstBytes(slashPrograms)

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
		t.hideLater(secret, stop)
		return false
	}
	return false
}
