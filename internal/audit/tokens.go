package audit

import "strings"

// shape is what tokens of one issuer look like.
type shape struct {
	prefix string
	bytes  *[256]bool
	least  int  // so many bytes behind the prefix
	alone  bool // only at the start of a word: the prefix is short
}

var upperDigits = byteSet("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")

// hookBytes are those of an address whose path is the secret.
var hookBytes = byteSet(alphanumeric + "_-.=~+/:@%")

var shapes = []shape{
	{"ghp_", tokenBytes, 16, false},
	{"gho_", tokenBytes, 16, false},
	{"ghu_", tokenBytes, 16, false},
	{"ghs_", tokenBytes, 16, false},
	{"ghr_", tokenBytes, 16, false},
	{"github_pat_", tokenBytes, 16, false},
	{"glpat-", wideBytes, 16, false},
	{"gldt-", tokenBytes, 16, false},
	{"glrt-", wideBytes, 16, false},
	{"glcbt-", tokenBytes, 16, false},
	{"glptt-", tokenBytes, 16, false},
	{"glsoat-", tokenBytes, 16, false},
	{"gloas-", tokenBytes, 16, false},
	{"glft-", tokenBytes, 16, false},
	{"glimt-", tokenBytes, 16, false},
	{"glagent-", tokenBytes, 16, false},
	{"xoxb-", tokenBytes, 10, false},
	{"xoxp-", tokenBytes, 10, false},
	{"xoxa-", tokenBytes, 10, false},
	{"xoxr-", tokenBytes, 10, false},
	{"xoxs-", tokenBytes, 10, false},
	{"xoxe-", tokenBytes, 10, false},
	{"xoxe.", wideBytes, 10, false},
	{"xoxd-", wideBytes, 10, false},
	{"xoxc-", tokenBytes, 10, false},
	{"xapp-", tokenBytes, 10, false},
	{"hooks.slack.com/services/", wideBytes, 10, false},
	{"hooks.slack.com/workflows/", wideBytes, 10, false},
	{"hooks.slack.com/triggers/", wideBytes, 10, false},
	{"discord.com/api/webhooks/", wideBytes, 10, false},
	{"discordapp.com/api/webhooks/", wideBytes, 10, false},
	{"discord.com/api/v", wideBytes, 20, false},
	{"webhook.office.com/webhookb2/", hookBytes, 10, false},
	{"api.telegram.org/bot", hookBytes, 10, false},
	{"api.telegram.org/file/bot", hookBytes, 10, false},
	{"AKIA", upperDigits, 16, false},
	{"ASIA", upperDigits, 16, false},
	{"ABIA", upperDigits, 16, false},
	{"ACCA", upperDigits, 16, false},
	{"AIza", tokenBytes, 30, false},
	{"ya29.", wideBytes, 16, false},
	{"GOCSPX-", tokenBytes, 16, false},
	{"sk-", tokenBytes, 20, true},
	{"sk_live_", tokenBytes, 10, false},
	{"sk_test_", tokenBytes, 10, false},
	{"rk_live_", tokenBytes, 10, false},
	{"rk_test_", tokenBytes, 10, false},
	{"whsec_", wideBytes, 16, false},
	{"npm_", tokenBytes, 30, true},
	{"pypi-", tokenBytes, 30, true},
	{"rubygems_", tokenBytes, 30, true},
	{"dop_v1_", tokenBytes, 30, false},
	{"doo_v1_", tokenBytes, 30, false},
	{"dor_v1_", tokenBytes, 30, false},
	{"hf_", tokenBytes, 30, true},
	{"shpat_", tokenBytes, 20, false},
	{"shpss_", tokenBytes, 20, false},
	{"shpca_", tokenBytes, 20, false},
	{"SG.", wideBytes, 40, true},
	{"hvs.", wideBytes, 20, true},
	{"hvb.", wideBytes, 20, true},
	{"hvr.", wideBytes, 20, true},
	{"ATATT3", wideBytes, 30, false},
	{"dapi", tokenBytes, 32, true},
	{"lin_api_", tokenBytes, 20, false},
	{"figd_", tokenBytes, 20, false},
	{"tskey-", tokenBytes, 16, false},
	{"AGE-SECRET-KEY-1", tokenBytes, 20, false},
	{"eyJ", wideBytes, 20, true},
	{"pdp_", tokenBytes, 30, true},
	{"dckr_pat_", tokenBytes, 16, false},
	{"nvapi-", tokenBytes, 20, true},
	{"gsk_", tokenBytes, 30, true},
	{"xai-", tokenBytes, 30, true},
	{"PMAK-", tokenBytes, 20, false},
	{"glc_", wideBytes, 20, true},
	{"glsa_", tokenBytes, 20, false},
	{"NRAK-", tokenBytes, 20, false},
	{"sntrys_", wideBytes, 20, false},
	{"pul-", tokenBytes, 30, true},
	{"EAAA", wideBytes, 40, true},
	{"EAAB", wideBytes, 40, true},
	{"ATBB", tokenBytes, 24, true},
	{"ATCTT3", wideBytes, 24, false},
	{"r8_", tokenBytes, 30, true},
	{"pplx-", tokenBytes, 30, true},
	{"tvly-", tokenBytes, 20, true},
	{"ntn_", tokenBytes, 30, true},
	{"sbp_", tokenBytes, 30, true},
	{"sb_secret_", tokenBytes, 16, true},
	{"xkeysib-", tokenBytes, 30, false},
	{"dt0c01.", wideBytes, 30, false},
	{"CFPAT-", tokenBytes, 30, false},
	{"dp.pt.", tokenBytes, 30, true},
	{"dp.st.", wideBytes, 30, true},
	{"phx_", tokenBytes, 30, true},
	{"GR1348941", tokenBytes, 16, true},
	{"1//0", tokenBytes, 30, true},
	// A PEM block of a private key in base64, by the words that it begins with.
	{"LS0tLS1CRUdJTiBSU0Eg", wideBytes, 16, false},
	{"LS0tLS1CRUdJTiBFQyBQ", wideBytes, 16, false},
	{"LS0tLS1CRUdJTiBEU0Eg", wideBytes, 16, false},
	{"LS0tLS1CRUdJTiBQUklW", wideBytes, 16, false},
	{"LS0tLS1CRUdJTiBPUEVO", wideBytes, 16, false},
	{"LS0tLS1CRUdJTiBFTkNS", wideBytes, 16, false},
}

// shapesBy finds shapes by their first byte.
var shapesBy = func() (table [256][]shape) {
	for _, s := range shapes {
		table[s.prefix[0]] = append(table[s.prefix[0]], s)
	}
	return table
}()

// shapePairs holds the first two bytes of all shapes: nearly every place in a text
// has none of them.
var shapePairs = func() (pairs pairSet) {
	for _, s := range shapes {
		pairs.add(s.prefix[0], s.prefix[1])
	}
	return pairs
}()

// pairSet is a set of two bytes.
type pairSet [1 << 16 / 64]uint64

func (p *pairSet) add(a, b byte) {
	n := uint(a)<<8 | uint(b)
	p[n/64] |= 1 << (n % 64)
}

func (p *pairSet) has(a, b byte) bool {
	n := uint(a)<<8 | uint(b)
	return p[n/64]&(1<<(n%64)) != 0
}

// shaped finds a token of a known shape that starts within a word.
func (t *scanner) shaped(i, end int) (from, to int) {
	s := t.s
	for at := i; at < min(end, len(s)-1); at++ {
		if !shapePairs.has(s[at], s[at+1]) {
			continue
		}
		for k := range shapesBy[s[at]] {
			sh := &shapesBy[s[at]][k]
			if !strings.HasPrefix(s[at:], sh.prefix) {
				continue
			}
			if sh.alone && at > i && s[at-1] != '_' && s[at-1] != '-' {
				continue
			}
			start := at + len(sh.prefix)
			to := start
			for to < len(s) && sh.bytes[s[to]] {
				to++
			}
			if to-start >= sh.least {
				return at, to
			}
		}
	}
	return 0, 0
}

// programFlag is a flag of a program whose value is a secret, and whose name
// does not say so.
type programFlag struct {
	flag     string
	attached bool // the value follows at once: -psecret
	separate bool // the value is the next word
	pair     bool // only behind a colon: user:secret
	cluster  bool // letters of other flags may stand before it: -su
}

var (
	separateOrNot = func(flags ...string) (list []programFlag) {
		for _, f := range flags {
			list = append(list, programFlag{flag: f, attached: true, separate: true})
		}
		return list
	}
	separateOnly = func(flags ...string) (list []programFlag) {
		for _, f := range flags {
			list = append(list, programFlag{flag: f, separate: true})
		}
		return list
	}
	attachedOnly = func(flags ...string) (list []programFlag) {
		for _, f := range flags {
			list = append(list, programFlag{flag: f, attached: true})
		}
		return list
	}
	pairs = func(flags ...string) (list []programFlag) {
		for _, f := range flags {
			list = append(list, programFlag{flag: f, attached: true, separate: true, pair: true})
		}
		return list
	}
)

// programs are those that take a secret by a short flag.
var programs = map[string][]programFlag{
	"sshpass":    separateOrNot("-p"),
	"login":      separateOrNot("-p", "-t"), // docker login, helm registry login, az login, glab auth login
	"curl":       clustered(append(pairs("-u", "--user", "-U", "--proxy-user", "-E", "--cert"), separateOrNot("-b")...)),
	"wget":       nil,
	"http":       pairs("-a", "--auth"),
	"https":      pairs("-a", "--auth"),
	"redis-cli":  separateOnly("-a"),
	"mongo":      separateOrNot("-p"),
	"mongosh":    separateOrNot("-p"),
	"mongodump":  separateOrNot("-p"),
	"ldapsearch": separateOrNot("-w"),
	"ldapmodify": separateOrNot("-w"),
	"smbclient":  separateOnly("-U"),
	"zip":        separateOrNot("-P"),
	"unzip":      separateOrNot("-P"),
	"7z":         attachedOnly("-p"),
	"openssl":    separateOnly("-k", "-K"),
	"sqlcmd":     separateOrNot("-P"),
	"bcp":        separateOrNot("-P"),
	"twine":      separateOnly("-p"),
	"cqlsh":      separateOrNot("-p"),
	"snowsql":    separateOnly("-p"),
	"rdesktop":   separateOnly("-p"),
	"rar":        attachedOnly("-p", "-hp"),
	"unrar":      attachedOnly("-p", "-hp"),
	"useradd":    separateOnly("-p"),
	"usermod":    separateOnly("-p"),
	"ldappasswd": separateOrNot("-s", "-a", "-w"),
	"doctl":      separateOnly("-t"),
	"ssh-keygen": separateOrNot("-N", "-P"),
	// gh secret set, az keyvault secret set, aws ssm put-parameter
	"secret":        append(separateOrNot("-b"), separateOnly("--body", "--value")...),
	"put-parameter": separateOnly("--value"),
	"psexec":        separateOrNot("-p"),
	"certutil":      separateOnly("-p"),
	"xfreerdp":      attachedOnly("/p:", "/gp:"),
	"xfreerdp3":     attachedOnly("/p:", "/gp:"),
	"wlfreerdp":     attachedOnly("/p:", "/gp:"),
	"wlfreerdp3":    attachedOnly("/p:", "/gp:"),
	"sdl-freerdp":   attachedOnly("/p:", "/gp:"),
	"schtasks":      append(separateOnly("/rp", "/p"), separateOnly("/RP", "/P")...),
	"svn":           nil,
	"sqlplus":       nil,
}

func clustered(list []programFlag) []programFlag {
	for i := range list {
		list[i].cluster = true
	}
	return list
}

var mysqlFlags = attachedOnly("-p")

// programStarts are the first bytes of their names.
var programStarts = func() (starts [256]bool) {
	for name := range programs {
		starts[name[0]] = true
	}
	starts['m'] = true
	return starts
}()

// programWord notes the program of a command, and hides the values of its flags.
func (t *scanner) programWord(i, end int) bool {
	s := t.s
	if i > 0 && !startsWord(s[i-1]) {
		return false
	}
	start := i // of a flag
	if s[i] != '-' && len(t.program) > 0 && i > 0 && s[i-1] == '/' && (i == 1 || wordEnds[s[i-2]] || s[i-2] == '"' || s[i-2] == '\'') {
		start--
	}
	if s[start] != '-' && s[start] != '/' {
		if programStarts[s[i]] && (end == len(s) || wordEnds[s[end]] || s[end] == '"' || s[end] == '\'' || strings.HasPrefix(s[end:], ".exe")) {
			if flags, ok := programs[s[i:end]]; ok {
				t.program = flags
			} else if strings.HasPrefix(s[i:end], "mysql") || strings.HasPrefix(s[i:end], "mariadb") {
				t.program = mysqlFlags // mysqldump, mariadb-admin and the others of the family
			}
		}
		return false
	}
	for _, f := range t.program {
		at := start + len(f.flag)
		if !strings.HasPrefix(s[start:], f.flag) {
			if at = i + f.behindSwitches(s[i:end]); at == i {
				continue
			}
		}
		switch {
		case at == len(s):
			return false
		case wordEnds[s[at]] && f.separate:
			for at < len(s) && (s[at] == ' ' || s[at] == '\t') {
				at++
			}
		case f.attached && !wordEnds[s[at]] && (len(f.flag) == 2 || !f.separate) && s[at] != '-':
			if s[at] == '=' {
				at++
			}
		case s[at] == '=' && len(f.flag) > 2:
			at++
		default:
			continue
		}
		to := wordEnd(s, at)
		if f.pair {
			to = argumentEnd(s, at)
			colon := strings.IndexByte(s[at:to], ':')
			if colon < 0 {
				continue
			}
			at += colon + 1
			if q := s[to-1]; (q == '"' || q == '\'') && to > at {
				to--
			}
		}
		if to <= at || isReference(strings.Trim(s[at:to], `"'`)) {
			continue
		}
		t.hide(at, to)
		return true
	}
	return false
}

// curlSwitches are letters of curl's flags that take no value.
const curlSwitches = "sSLkfvgiIjlnNOJRaGpq#0123456"

// behindSwitches is the length of a word's flags that end with this one, or 0.
func (f *programFlag) behindSwitches(word string) int {
	if !f.cluster || len(f.flag) != 2 {
		return 0
	}
	for n := 1; n < len(word); n++ {
		switch {
		case word[n] == f.flag[1]:
			return n + 1
		case strings.IndexByte(curlSwitches, word[n]) < 0:
			return 0
		}
	}
	return 0
}

// argumentEnd is the end of a word of a command, with all its quotes.
func argumentEnd(s string, at int) int {
	for at < len(s) {
		switch c := s[at]; {
		case c == '"' || c == '\'':
			at = quoteEnd(s, at)
		case c == '\\':
			at += 2
		case valueEnds[c]:
			return at
		default:
			at++
		}
	}
	return min(at, len(s))
}

func startsWord(c byte) bool {
	switch c {
	case ' ', '\t', '\n', ';', '|', '&', '(', '/', '"', '\'', '`':
		return true
	}
	return false
}
