package programs

import (
	"slices"
	"strings"
)

// scripts judges the programs whose operand is a small program of its own. A
// check gets the words behind the program's name and reports whether the
// script can do no more than transform text.
var scripts = map[string]func(words []string) bool{
	"sed": sedHarmless, "gsed": sedHarmless,
	"awk": awkHarmless, "gawk": awkHarmless, "mawk": awkHarmless, "nawk": awkHarmless,
	"gh": filterHarmless, "glab": filterHarmless,
	"jq": jqHarmless, "gojq": jqHarmless, "yq": yqHarmless,
	"tar": tarHarmless, "bsdtar": tarHarmless, "gtar": tarHarmless,
	"sqlite3": sqlHarmless, "duckdb": sqlHarmless,
	"date":   dateReads,
	"git":    gitHarmless,
	"cargo":  cargoTargetHarmless,
	"dotnet": buildPropertiesHarmless, "msbuild": buildPropertiesHarmless,
}

// scriptHarm says what a program does with words that its check refuses.
func scriptHarm(program string) Effect {
	if program == "gh" || program == "glab" {
		return Reveals
	}
	if program == "date" {
		return Configures
	}
	return Runs
}

// cargoTargetHarmless refuses the description of a target in a file: it names the
// linker that is run.
func cargoTargetHarmless(words []string) bool {
	for i, w := range words {
		name, value, attached := strings.Cut(w, "=")
		if !attached && i+1 < len(words) {
			value = words[i+1]
		}
		if name == "--target" && strings.HasSuffix(strings.ToLower(value), ".json") {
			return false
		}
	}
	return true
}

func gitHarmless(words []string) bool {
	return gitFormatHarmless(words) && gitFetchHarmless(words) && !commitSkipsHooks(words)
}

// commitSkipsHooks finds the n of git commit in a cluster, which ends at the
// first letter that is followed by a text.
func commitSkipsHooks(words []string) bool {
	at := slices.Index(words, "commit")
	return at >= 0 && slices.ContainsFunc(words[at:], func(w string) bool {
		if !strings.HasPrefix(w, "-") || strings.HasPrefix(w, "--") {
			return false
		}
		if end := strings.IndexAny(w, "mFCctSu"); end > 0 {
			w = w[:end]
		}
		return strings.Contains(w, "n")
	})
}

// gitFetchHarmless refuses to force what a refspec names: it would move the
// branch, whatever stands there. Without one, --force only moves tags.
func gitFetchHarmless(words []string) bool {
	fetches, forces, refspec := false, false, false
	for _, w := range words {
		switch {
		case w == "fetch", w == "pull":
			fetches = true
		case strings.HasPrefix(w, "--"):
			forces = forces || len(w) > 3 && strings.HasPrefix("--force", w)
		case strings.HasPrefix(w, "-"):
			forces = forces || strings.Contains(w, "f")
		default:
			refspec = refspec || strings.Contains(w, ":") && !strings.Contains(w, "://")
		}
	}
	return !(fetches && forces && refspec)
}

// gitFormatHarmless looks for placeholders in a format for which git lets the
// program that is configured for it check a signature.
func gitFormatHarmless(words []string) bool {
	format := false // the word before is an option whose value is a format
	for _, w := range words {
		name, value, attached := strings.Cut(w, "=")
		switch {
		case format && !strings.HasPrefix(w, "-"):
			value = w
		case len(name) < 4 || !strings.HasPrefix("--format", name) && !strings.HasPrefix("--pretty", name):
			format = false
			continue
		}
		format = !attached
		plain := strings.ReplaceAll(value, "%%", "")
		if strings.Contains(plain, "%G") || strings.Contains(plain, "signature") || strings.Contains(plain, "%%") {
			return false
		}
	}
	return true
}

// sedHarmless looks at every word, since options move the script around. Each
// script must be one that sedScript reads whole.
func sedHarmless(words []string) bool {
	scripted := false
	for i := 0; i < len(words); i++ {
		// -l takes a number, which would be taken for the script here.
		if w := words[i]; strings.HasPrefix(w, "--l") || isOption(w) && !strings.HasPrefix(w, "--") && strings.Contains(w, "l") {
			return false
		}
		text, given, next := sedOption(words[i])
		switch {
		case next:
			if i++; i == len(words) {
				return false
			}
			text = words[i]
		case !given && (scripted || isOption(words[i])):
			continue
		case !given:
			text = words[i]
		}
		if scripted = true; !sedScript(text) {
			return false
		}
	}
	return true
}

// sedOption returns the script that an option brings, if it does: attached, or
// in the next word.
func sedOption(w string) (script string, given, next bool) {
	if strings.HasPrefix(w, "--") {
		name, value, attached := strings.Cut(w, "=")
		given = len(name) > 2 && strings.HasPrefix("--expression", name)
		return value, given, given && !attached
	}
	at := strings.IndexByte(w, 'e')
	if at < 1 || w[0] != '-' {
		return "", false, false
	}
	return w[at+1:], true, at == len(w)-1
}

// sedScript reads the sed commands that people use for looking at files:
// addresses with p, d, q, =, n, and s or y with the flags g, i, I, p and digits.
func sedScript(script string) bool {
	rest := script
	for {
		rest = strings.TrimLeft(rest, " \t;\n{}")
		if rest == "" {
			return true
		}
		var ok bool
		if rest, ok = sedAddresses(rest); !ok {
			return false
		}
		if rest, ok = sedCommand(rest); !ok {
			return false
		}
	}
}

func sedAddresses(s string) (string, bool) {
	for {
		s = strings.TrimLeft(s, " \t,!~+0123456789$")
		switch {
		case strings.HasPrefix(s, "/"):
			end := delimited(s[1:], '/')
			if end < 0 {
				return s, false
			}
			s = strings.TrimLeft(s[1+end:], "IM")
		case strings.HasPrefix(s, "\\"):
			return s, false
		default:
			return s, true
		}
	}
}

func sedCommand(s string) (string, bool) {
	if s == "" {
		return s, false
	}
	switch c := s[0]; c {
	case 'p', 'd', 'q', 'Q', '=', 'n', 'N', 'P', 'D', 'h', 'H', 'g', 'G', 'x', 'l', '{', '}':
		return s[1:], true
	case 's', 'y':
		if len(s) < 2 || s[1] == '\\' || s[1] == '\n' || s[1] >= 0x80 {
			return s, false
		}
		for range 2 {
			end := delimited(s[2:], s[1])
			if end < 0 {
				return s, false
			}
			s = s[:2] + s[2+end:]
		}
		s = s[2:]
		if c == 's' {
			s = strings.TrimLeft(s, "giIpmM0123456789")
		}
		return s, s == "" || strings.IndexByte(" ;}\n", s[0]) >= 0
	default:
		return s, false
	}
}

// delimited returns the index behind the next unescaped delimiter, or -1. Inside
// brackets a delimiter ends the expression for some seds and not for others,
// and so may the bracket behind "[" or "[^"; where that matters nothing is read.
func delimited(s string, delimiter byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			end := strings.IndexByte(s[i:], ']')
			if end < 0 || end < 3 && strings.IndexByte("[^", s[i+end-1]) >= 0 || strings.IndexByte(s[i:i+end], delimiter) >= 0 {
				return -1
			}
		case delimiter:
			return i + 1
		}
	}
	return -1
}

func mentions(text string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(text, name) })
}

func jqHarmless(words []string) bool {
	return all(words, func(w string) bool {
		return !readsVariables(w) && !mentions(w, "import", "include", "system(", "ENV", "load", "modulemeta")
	})
}

// filterHarmless judges the scripts of jq that an option holds, which see the
// variables of the program: --jq, shorter forms of it, -q.
func filterHarmless(words []string) bool {
	for i, w := range words {
		name, value, attached := strings.Cut(w, "=")
		switch {
		case len(name) > 2 && strings.HasPrefix("--jq", name):
			if !attached && i+1 < len(words) {
				value = words[i+1]
			}
		case w == "-q" && i+1 < len(words):
			value = words[i+1]
		case strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "q"): // also in a cluster
			value = w[strings.Index(w, "q")+1:]
			if value == "" && i+1 < len(words) {
				value = words[i+1]
			}
		default:
			continue
		}
		if !jqHarmless([]string{value}) {
			return false
		}
	}
	return true
}

// yqHarmless knows the further ways of yq's own language to read variables and
// files.
func yqHarmless(words []string) bool {
	return jqHarmless(words) && all(words, func(w string) bool { return !mentions(w, "strenv", "envsubst", "system") })
}

// readsVariables reports whether a script of jq calls env. A field may have that
// name (.env); yq's env(NAME) is a call wherever it stands.
func readsVariables(script string) bool {
	for at := 0; ; {
		next := strings.Index(script[at:], "env")
		if next < 0 {
			return false
		}
		at += next
		end := at + len("env")
		field := at > 0 && script[at-1] == '.' && (at == 1 || script[at-2] != '.') && (end == len(script) || script[end] != '(')
		if !field && (at == 0 || !isWordByte(script[at-1])) && (end == len(script) || !isWordByte(script[end])) {
			return true
		}
		at = end
	}
}

func containsWord(s, word string) bool {
	for i := 0; ; {
		at := strings.Index(s[i:], word)
		if at < 0 {
			return false
		}
		i += at
		before := i == 0 || !isWordByte(s[i-1])
		i += len(word)
		if before && (i == len(s) || !isWordByte(s[i])) {
			return true
		}
	}
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// tarHarmless refuses an archive on another machine (host:file), which tar
// reaches through a remote shell, and the letters that run a program or take a
// list of further words in the old spelling without a dash.
func tarHarmless(words []string) bool {
	if len(words) > 0 && !isOption(words[0]) && strings.ContainsAny(words[0], "IFTgP") {
		return false
	}
	return all(words, func(w string) bool {
		return !strings.Contains(w, ":") && !strings.HasPrefix(w, "/") && !leavesTree(w) && !strings.Contains(w, ".git") &&
			!strings.HasPrefix(w, "--xf") && !strings.HasPrefix(w, "--tra") && (!isOption(w) || !strings.Contains(w, "/"))
	})
}

// buildPropertiesHarmless refuses properties of MSBuild that name programs,
// events or further build files; a switch such as -p:Deterministic=true passes.
func buildPropertiesHarmless(words []string) bool {
	return all(words, func(w string) bool {
		w = strings.ToLower(w)
		if _, file, ok := strings.Cut(w, "logfile"); ok && strings.ContainsAny(file, `/\~`) {
			return false // a logger's file elsewhere
		}
		if w == "" || w[0] != '-' && w[0] != '/' {
			return true
		}
		name, value, ok := strings.Cut(strings.TrimLeft(w, "-/"), ":")
		switch name {
		case "p", "property":
			return buildSwitch(value)
		case "t", "target", "l", "logger", "dl", "distributedlogger", "fl", "flp", "bl", "warnaserror", "getproperty":
			return !ok || name == "warnaserror" || name == "getproperty"
		}
		return true
	})
}

func buildSwitch(property string) bool {
	name, value, _ := strings.Cut(property, "=")
	return !mentions(name, "event", "tool", "path", "exe", "target", "import", "dir", "custom", "command", "file", "analyzer") &&
		strings.Trim(value, "abcdefghijklmnopqrstuvwxyz0123456789.-_") == ""
}

// secrets finds the word of a command that makes it reveal secrets although it
// is a sub-command that may read.
var secrets = map[string]func(words []string) int{"kubectl": kubectlSecret}

// kubectlSecret finds the resource "secret" in any of its spellings: secrets,
// secret/NAME, pods,secrets, secrets.v1.; kubectl does not mind the case.
func kubectlSecret(words []string) int {
	if len(words) < 2 || words[1] != "get" && words[1] != "events" {
		return 0
	}
	for i, w := range words[1:] {
		for kind := range strings.SplitSeq(strings.ToLower(w), ",") {
			if strings.HasPrefix(kind, "secret") {
				return i + 1
			}
		}
	}
	return 0
}
