package audit

import (
	"slices"
	"strings"
)

// secretPlace is where a command takes a secret without a name beside it. To add one,
// write its words and count the operands; flags do not count.
type secretPlace struct {
	words   string // of the command, with one blank; a last * stands for any end
	operand int    // which one behind the words is the secret
	flag    byte   // only with this letter among the flags; 0: always
	behind  bool   // the words behind the first may stand behind others: those of flags
}

var places = []secretPlace{
	{words: "htpasswd", operand: -1, flag: 'b'}, // the last one: [file] user password
	{words: "vault login", operand: 1},
	{words: "net user", operand: 2},
	{words: "net use", operand: 3},
	{words: "wpa_passphrase", operand: 2},
	{words: "mc alias set", operand: 4},
	{words: "mc config host add", operand: 4},
	{words: "config http-basic.*", operand: 2}, // poetry, composer
	{words: "config pypi-token.*", operand: 1},
	{words: "config github-oauth.*", operand: 1},
	{words: "rclone obscure", operand: 1},
	{words: "twilio login", operand: 2},
	{words: "redis-cli AUTH", operand: -1, behind: true},
	{words: "mysqladmin password", operand: 1, behind: true},
	{words: "mariadb-admin password", operand: 1, behind: true},
	{words: "netlify env:set", operand: 2},
	{words: "ansible-vault encrypt_string", operand: 1},
	{words: "requirepass", operand: 1},
}

// placeStarts are their first words.
var placeStarts = func() map[string]bool {
	m := map[string]bool{}
	for _, p := range places {
		first, _, _ := strings.Cut(p.words, " ")
		m[first] = true
	}
	return m
}()

// placeBytes are the first bytes of these.
var placeBytes = func() (starts [256]bool) {
	for word := range placeStarts {
		starts[word[0]] = true
	}
	return starts
}()

// maxStarts bounds how many words of a command are looked at as the first of one of
// places: each looks at what follows. Behind more of them all is hidden.
const maxStarts = 32

// inPlace finds the secret of a command that begins with this word, to be hidden
// when it is reached: there may be others before it.
func (t *scanner) inPlace(i, end int) {
	s := t.s
	stop := commandEnd(s, i)
	if t.words.starts++; t.words.starts > maxStarts {
		if t.words.starts == maxStarts+1 && end < stop {
			t.hideLater(end, stop)
		}
		return
	}
	for _, p := range places {
		first, rest, _ := strings.Cut(p.words, " ")
		if first != s[i:end] {
			continue
		}
		if from, to := p.find(s[:stop], end, rest); to > from && !isReference(strings.Trim(s[from:to], `"'`)) {
			t.hideLater(from, to)
			return
		}
	}
}

// hideLater hides a part of the text when it is reached.
func (t *scanner) hideLater(from, to int) {
	at, found := slices.BinarySearchFunc(t.later, from, func(s span, from int) int { return s.from - from })
	if found {
		t.later[at].to = max(t.later[at].to, to)
		return
	}
	t.later = slices.Insert(t.later, at, span{from, to})
}

// find returns where the secret stands.
func (p *secretPlace) find(s string, at int, words string) (from, to int) {
	flagged := p.flag == 0
	operands := 0
	for at < len(s) {
		for at < len(s) && (s[at] == ' ' || s[at] == '\t') {
			at++
		}
		end := wordEnd(s, at)
		if end <= at {
			break
		}
		word := s[at:end]
		start := at
		at = end
		if word[0] == '-' || word[0] == '/' {
			flagged = flagged || strings.IndexByte(word, p.flag) > 0
			continue
		}
		if words != "" {
			next, rest, _ := strings.Cut(words, " ")
			if stem, any := strings.CutSuffix(next, "*"); !strings.EqualFold(word, next) && (!any || !strings.HasPrefix(word, stem)) {
				if p.behind {
					continue
				}
				return 0, 0
			}
			words = rest
			continue
		}
		operands++
		if operands == p.operand || p.operand < 0 {
			from, to = start, end
		}
	}
	if !flagged || words != "" || strings.Contains(s[from:to], "=") {
		return 0, 0
	}
	return from, to
}
