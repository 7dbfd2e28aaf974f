package shell

import (
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/programs"
)

// harmlessBuiltin reports whether a command only looks, ends the text, or
// changes to a directory, which is judged by itself. None needs a list entry.
func harmlessBuiltin(p phrase) bool {
	words := p.words
	switch words[0] {
	case "cd", "pwd", "true", "false", ":":
		return p.literal(0, len(words)) || words[0] == "cd"
	case "exit", "return", "break", "continue":
		return len(words) == 1 || len(words) == 2 && (strings.Trim(words[1], "0123456789") == "" || onlyNumber(p, 1))
	case "[", "test":
		return testOnly(words) && keepsSecrets(p)
	case "read":
		return readsLine(p)
	case "[[":
		return p.simple.tests && p.offset == 0
	case "set":
		return setOptions(words[1:]) && p.literal(0, len(words))
	}
	return false
}

func onlyNumber(p phrase, i int) bool {
	o := p.opened(i)
	return o != nil && len(o.parts) == 1 && o.parts[0].kind == numberPart
}

// readsLine accepts a read of lines, as a loop or pipeline has it, into variables
// that nothing but the text uses.
func readsLine(p phrase) bool {
	if p.simple.straight || p.offset > 0 || !p.literal(0, len(p.words)) {
		return false
	}
	names := p.words[1:]
	if len(names) > 0 && names[0] == "-r" {
		names = names[1:]
	}
	return len(names) > 0 && !slices.ContainsFunc(names, func(w string) bool {
		return nameLength(w) != len(w) || !inertVariable(w) || looksSecret(w)
	})
}

// testOnly refuses the tests that evaluate a subscript, which may run commands.
func testOnly(words []string) bool {
	for _, w := range words[1:] {
		if w == "-v" || w == "-R" || strings.Contains(w, "[") {
			return false
		}
	}
	return true
}

// keepsSecrets reports whether a test asks of secrets at most whether they are
// there. Others compare them, or print them where they are no number.
func keepsSecrets(p phrase) bool {
	for i := range p.words {
		o := p.opened(i)
		if o == nil || !holdsSecret(o.parts) {
			continue
		}
		if before := p.words[i-1]; before != "-n" && before != "-z" || slices.ContainsFunc(o.parts, func(p part) bool { return !p.quoted }) {
			return false
		}
	}
	return true
}

// setOptions accepts options that only make a shell stop earlier.
func setOptions(words []string) bool {
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "pipefail" || w == "errexit" || w == "nounset":
			if i == 0 || !strings.HasSuffix(words[i-1], "o") {
				return false
			}
		case len(w) < 2 || w[0] != '-' && w[0] != '+' || strings.Trim(w[1:], "euo") != "":
			return false
		}
	}
	return len(words) > 0
}

// harmlessVariables may stand before a command that a list vouches for: they
// change the language, the colours or the amount of output, or tell a test run
// who it is.
var harmlessVariables = wordSet(`LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES LC_NUMERIC LC_TIME LANG LANGUAGE TZ NO_COLOR FORCE_COLOR CLICOLOR
	CLICOLOR_FORCE COLUMNS LINES CI PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING RUST_BACKTRACE RUST_LOG NODE_ENV
	CARGO_TERM_COLOR PY_COLORS GCC_COLORS NODE_NO_WARNINGS DO_NOT_TRACK NEXT_TELEMETRY_DISABLED DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO
	CGO_ENABLED GOOS GOARCH GOMAXPROCS GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS DEBIAN_FRONTEND`)

// harmlessValues are values with which variables may stand before a command that
// would name a program or an option with others.
var harmlessValues = map[string]map[string]bool{
	"PAGER": pagers, "GIT_PAGER": pagers, "GH_PAGER": pagers, "MANPAGER": pagers, "AWS_PAGER": pagers,
	"TERM":        wordSet("dumb xterm xterm-256color"),
	"GOFLAGS":     wordSet("-mod=mod -mod=vendor -mod=readonly -count=1 -race -v"),
	"GOTOOLCHAIN": wordSet("local"),
}

var pagers = map[string]bool{"": true, "cat": true}

// harmlessSetting reports whether an assignment before a command changes nothing
// about what runs.
func harmlessSetting(name, value string) bool {
	return harmlessVariables[name] || harmlessValues[name][value]
}

// neutralNames are the upper-case names that people give to values of their
// own. Any other may be one that the environment exports to programs.
var neutralNames = wordSet(`A B C D E F G H I J K L M N O P Q R S T U V W X Y Z DIR DIRS FILE FILES SRC DST DEST NAME NAMES ROOT BASE LOG DB COUNT
	RESULT RESULTS STATUS RC MSG TITLE BODY BRANCH TAG SHA COMMIT PR ISSUE REPO OUT PATTERN QUERY START END ID IDS`)

// inertVariable reports whether setting a variable in the shell itself changes
// nothing but what the text later reads from it.
func inertVariable(name string) bool {
	if name != strings.ToLower(name) {
		return neutralNames[name]
	}
	for _, begins := range [...]string{"npm_", "pip_", "yarn_", "cargo_", "bundle_", "git_", "ld_"} {
		if strings.HasPrefix(name, begins) {
			return false
		}
	}
	return !strings.HasSuffix(name, "_proxy") && name != "histchars" && name != "auto_resume" && name != "_"
}

// revealed says why a command that prints a variable asks.
func revealed(p phrase) string {
	for i := range p.words {
		o := p.opened(i)
		if o == nil {
			continue
		}
		for _, part := range o.parts {
			if part.kind == variablePart && o.values == nil && looksSecret(part.text) {
				return "it uses the variable " + part.text + ", whose name looks like a secret"
			}
		}
	}
	return ""
}

// looksSecret reports whether a variable's name says that its value is one: a
// secret, a key, or an address, in which there may be a password.
func looksSecret(name string) bool {
	name = strings.ToLower(name)
	for _, word := range secretWords {
		if strings.Contains(name, word) {
			return true
		}
	}
	for _, end := range secretEnds {
		if strings.HasSuffix(name, end) {
			return !openNames[name]
		}
	}
	address, ok := strings.CutSuffix(name, "url")
	if !ok {
		address, ok = strings.CutSuffix(name, "uri")
	}
	address = strings.TrimSuffix(address, "_")
	return ok && !openAddresses[address[strings.LastIndexByte(address, '_')+1:]]
}

var (
	secretWords = strings.Fields(`token secret passw passphrase apikey api_key credential private privkey session cookie auth _key _pat _pw _pass jwt bearer
		cred dsn connection connstr conn_str signing encryption hmac otp mnemonic webhook _hook`)
	secretEnds = strings.Fields("key pass pwd pat _sk salt pin _conn _seed pem proxy")
	openNames  = wordSet("pwd oldpwd monkey hotkey turnkey publickey pubkey compass bypass spin compat")
	// openAddresses are what addresses are of that programs print.
	openAddresses = wordSet("base api site home repo repository app web website public server frontend backend doc docs download image release pr issue page")
)

func holdsSecret(parts []part) bool { return secretOf(parts) != "" }

// secretOf returns the first variable of a word whose name looks like a secret.
func secretOf(parts []part) string {
	for _, p := range parts {
		if p.kind == variablePart && looksSecret(p.text) {
			return p.text
		}
	}
	return ""
}

// secretNamed returns the first variable of a text whose name looks like a secret.
func secretNamed(text string) string {
	for {
		_, rest, ok := strings.Cut(text, "$")
		if !ok {
			return ""
		}
		text = rest
		name := strings.TrimLeft(rest, "{!#")
		if name = name[:nameLength(name)]; name != "" && looksSecret(name) {
			return name
		}
	}
}

// loopHarm says why a loop cannot be vouched for: its variable is one of the
// shell, and may be one that programs are given.
func loopHarm(l *loop) string {
	if !inertVariable(l.name) {
		return "the loop sets " + l.name + ", which may change what later commands do"
	}
	for _, w := range l.words {
		if holdsSecret(w.parts) {
			return "it copies a variable whose name looks like a secret"
		}
	}
	return ""
}

// readsCode are programs that take their input for commands, or for a list of
// files to work on.
var readsCode = wordSet(`sqlite3 duckdb psql mysql mariadb mongo mongosh redis-cli ftp sftp telnet gdb ed ex vi vim nvim emacs at batch crontab
	xargs parallel patch cpio tee ssh make bc dc sh bash zsh dash ksh fish python node ruby perl php lua r`)

// codeFromInput reports whether what is fed to a command may be code. Programs
// that nobody described are taken for readers of data.
func codeFromInput(words []string) bool {
	name := known.Name(words[0])
	if name == "git" && len(words) > 1 {
		return gitReadsCode[words[1]]
	}
	if name == "tee" { // only what it writes may be code
		return slices.ContainsFunc(words[1:], func(w string) bool { return !isOption(w) })
	}
	return readsCode[name] && !(known.Kind(words[0]) == programs.Interpreter && len(words) > 1)
}

var gitReadsCode = wordSet("apply am fast-import update-ref update-index")
