package inspect

import (
	"os"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Summary sorts the grants of an access list by who holds them.
type Summary struct {
	OK             bool    `json:"ok"`
	Entries        []Entry `json:"entries"`
	Trusted        []Entry `json:"trusted"`
	UntrustedWorld []Entry `json:"untrusted_world"`
	UntrustedGroup []Entry `json:"untrusted_group"`
	Error          string  `json:"error,omitempty"`
}

func sorted(entries []Entry, classify func(Entry) Class) Summary {
	s := Summary{OK: true, Entries: entries, Trusted: []Entry{}, UntrustedWorld: []Entry{}, UntrustedGroup: []Entry{}}
	for _, e := range entries {
		switch classify(e) {
		case ClassTrusted:
			s.Trusted = append(s.Trusted, e)
		case ClassWorld:
			s.UntrustedWorld = append(s.UntrustedWorld, e)
		default:
			s.UntrustedGroup = append(s.UntrustedGroup, e)
		}
	}
	return s
}

// FormatSummary names the grants that strangers hold: "unknown" when the list
// could not be read, "trusted-only" when there are none.
func FormatSummary(s Summary) string {
	if !s.OK {
		return "unknown"
	}
	var parts []string
	for _, entries := range [][]Entry{s.UntrustedWorld, s.UntrustedGroup} {
		for _, e := range entries {
			parts = append(parts, e.Principal+":"+e.RawRights)
		}
	}
	if len(parts) == 0 {
		return "trusted-only"
	}
	return strings.Join(parts, ", ")
}

// trustedNames and worldNames are what a few languages of Windows print. A name
// that is missing here makes a principal a stranger, which is the safe mistake.
var (
	trustedNames = nameSet(
		`nt authority\system`, `system`, `builtin\administrators`, `creator owner`,
		`autorite nt\système`, `nt-autorität\system`, `autoridad nt\system`, `autoridade nt\system`,
	)
	worldNames = nameSet(
		`everyone`, `users`, `builtin\users`, `authenticated users`, `nt authority\authenticated users`,
		`anonymous logon`, `nt authority\anonymous logon`, `guests`, `builtin\guests`,
		`interactive`, `nt authority\interactive`, `network`, `nt authority\network`, `local`,
		`application package authority\all application packages`,
		`application package authority\all restricted application packages`,
	)
	plainTrustedNames = plainSet(trustedNames)
	worldSuffixes     = []string{`\users`, `\authenticated users`}
)

func nameSet(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

func plainSet(names map[string]bool) map[string]bool {
	set := map[string]bool{}
	for name := range names {
		set[withoutMarks(name)] = true
	}
	return set
}

// withoutMarks drops combining accents, which consoles lose or decompose.
func withoutMarks(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36f {
			return -1
		}
		return r
	}, norm.NFD.String(name))
}

// Summarize classifies parsed entries for the user whom env (USERSID, USERNAME,
// USERDOMAIN) and, failing that, osUser name. A nil env is the environment of
// the process. An entry that has a SID is judged by the SID alone: anybody may
// be called like a trusted principal.
func Summarize(entries []Entry, env map[string]string, osUser string) Summary {
	env = orProcess(env)
	names := map[string]bool{}
	if user := lower(UserPrincipal(env, osUser)); user != "" {
		names[user] = true
		names[user[strings.LastIndexByte(user, '\\')+1:]] = true
	}
	return sorted(entries, func(e Entry) Class {
		if sid := sidOf(e); sid != "" {
			return ClassOfSID(sid, env["USERSID"])
		}
		return classOfName(lower(trim(e.Principal)), names)
	})
}

func sidOf(e Entry) string {
	for _, text := range []string{e.SID, e.Principal} {
		if sid := normalizeSID(trim(text)); IsSID(sid) {
			return sid
		}
	}
	return ""
}

func classOfName(name string, user map[string]bool) Class {
	switch {
	case name == "":
		return ClassGroup
	case user[name] && !worldNames[name], trustedNames[name]:
		return ClassTrusted
	case worldNames[name]:
		return ClassWorld
	}
	for _, suffix := range worldSuffixes {
		if strings.HasSuffix(name, suffix) {
			return ClassWorld
		}
	}
	if plain := withoutMarks(name); plain != name && plainTrustedNames[plain] {
		return ClassTrusted
	}
	return ClassGroup
}

// UserPrincipal names the user for Windows: DOMAIN\name when USERDOMAIN is set,
// osUser when USERNAME is not, "" when nobody is known. Keys are case-sensitive.
func UserPrincipal(env map[string]string, osUser string) string {
	env = orProcess(env)
	name := trim(env["USERNAME"])
	if name == "" {
		name = trim(osUser)
	}
	domain := trim(env["USERDOMAIN"])
	if name == "" || domain == "" {
		return name
	}
	return domain + `\` + name
}

func orProcess(env map[string]string) map[string]string {
	if env != nil {
		return env
	}
	env = map[string]string{}
	for _, pair := range os.Environ() {
		if name, value, ok := strings.Cut(pair, "="); ok {
			env[name] = value
		}
	}
	return env
}
