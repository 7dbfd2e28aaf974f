package programs

import (
	"slices"
	"strings"
)

// Matching says how far an entry's word goes.
type Matching uint8

const (
	// Strict is the original engine's test and the table.
	Strict Matching = iota
	// Precise is the table alone, which also sees through wrappers, launchers
	// and interpreters that the entry names together with what they run.
	Precise
)

// vetting is one question to the table.
type vetting struct {
	table *Table
	mode  Matching
	depth int
}

// maxDepth bounds programs inside programs: `timeout 5 nice npx …`.
const maxDepth = 8

// Vouch reports whether an entry that names the first n words may stand for
// the whole command: the words behind it must be plain arguments, not another
// program, code, or an option that does more. If not, it returns the word that
// asks. Whatever Strict vouches for, Precise does as well.
func (t *Table) Vouch(words []string, n int, m Matching) (Finding, bool) {
	if t == nil || len(t.names.list) == 0 || n < 1 || n > len(words) {
		return Finding{Effect: Runs}, false
	}
	return vetting{table: t, mode: m}.vouch(words, n)
}

func (v vetting) vouch(words []string, n int) (Finding, bool) {
	if v.depth++; v.depth > maxDepth {
		return Finding{Effect: Runs}, false
	}
	name, p := v.table.lookup(words[0])
	if v.mode == Strict {
		if at := originalRefuses(name, words); at > 0 {
			return Finding{Runs, at}, false
		}
	}
	if p == nil {
		return Finding{}, true
	}
	switch p.kind {
	case Launcher:
		return v.launched(p, words, n)
	case Wrapper:
		return v.wrapped(p, words, n)
	case Interpreter:
		return v.interpreted(name, p, words, n)
	}
	return v.plain(p, words, n)
}

// The original engine's test for inline code and find's actions, which knows
// only exact spellings.
var (
	originalInterpreters = wordSet("sh bash zsh dash ksh fish powershell pwsh cmd python python3 node deno bun ruby perl php")
	inlineCode           = wordSet("-c -e --eval --command -Command -EncodedCommand")
	dangerous            = wordSet("-exec -execdir -delete -ok -okdir -fprintf")
	versionOnly          = wordSet("--version -V --help")
)

// originalRefuses is the original engine's whole test: what it refuses is
// refused whatever the entry names. It returns the word, or 0.
func originalRefuses(program string, words []string) int {
	interprets := originalInterpreters[program]
	for i, w := range words[1:] {
		if len(w) > 1 && w[0] == '-' && (dangerous[strings.ToLower(w)] || interprets && inlineCode[w]) {
			return i + 1
		}
	}
	return 0
}

// plain judges a program whose words are arguments.
func (v vetting) plain(p *program, words []string, n int) (Finding, bool) {
	for i := range p.rules {
		if found, hit := v.hit(&p.rules[i], words, n); hit {
			return found, false
		}
	}
	if p.script != nil && !p.script(words[1:]) {
		return Finding{p.harm, culprit(p.script, words)}, false
	}
	if p.secrets != nil {
		if at := p.secrets(words); at > 0 && at >= n {
			return Finding{Reveals, at}, false
		}
	}
	return Finding{}, true
}

// culprit returns the index of the word that makes a script harmful.
func culprit(harmless func([]string) bool, words []string) int {
	const most = 64 // of a longer command the first words are named
	for i := 1; i < min(len(words), most); i++ {
		if !harmless(words[1:i+1]) && (i+1 == len(words) || !harmless(words[1:i+2])) {
			return i
		}
	}
	return min(1, len(words)-1)
}

func (v vetting) launched(p *program, words []string, n int) (Finding, bool) {
	if v.mode == Strict {
		return Finding{Runs, 0}, false
	}
	if p.readingWords(words, n) > 0 {
		return v.plain(p, words, n)
	}
	return v.handed(p, words, n)
}

// readingWords returns how many of the first n words name the program and a
// sub-command of it that only reads, or 0.
func (p *program) readingWords(words []string, n int) int {
	switch {
	case p == nil:
	case n > 1 && p.reading[words[1]]:
		return 2
	case n > 2 && len(p.reading) > 0 && p.reading[words[1]+"/"+words[2]]:
		return 3
	}
	return 0
}

func (v vetting) wrapped(p *program, words []string, n int) (Finding, bool) {
	if len(words) == n || onlyLooksUp(words, n) {
		return Finding{}, true
	}
	if v.mode == Precise {
		return v.handed(p, words, n)
	}
	if p.wraps == nil || !p.wraps.strict || n < 2 || words[1] == "-" || isOption(words[1]) {
		return Finding{Runs, min(n, len(words)-1)}, false
	}
	found, ok := v.vouch(words[1:], n-1)
	return found.behind(1), ok
}

// onlyLooksUp accepts `command -v NAME`, which prints where a program is.
func onlyLooksUp(words []string, n int) bool {
	return words[0] == "command" && n > 1 && (words[1] == "-v" || words[1] == "-V")
}

// handed accepts an entry that equals the command, or that goes on to name the
// inner program, which is then judged like a command of its own.
func (v vetting) handed(p *program, words []string, n int) (Finding, bool) {
	if len(words) == n && n > 1 {
		return Finding{}, true
	}
	h := p.wraps
	if h == nil {
		h = p.hands
	}
	at, ok := h.inner(words)
	switch {
	case h != nil && h.assignments && !ok && len(words) == 1:
		return Finding{Reveals, 0}, false
	case !ok || at >= n:
		return Finding{Runs, min(max(at, 1), len(words)-1)}, false
	}
	inner := words[at:]
	if h.pkg && inner[0] != "" {
		if name, _, versioned := strings.Cut(inner[0][1:], "@"); versioned {
			inner = slices.Clone(inner)
			inner[0] = inner[0][:1] + name
		}
	}
	if h.appends && !v.table.Harmless(inner) {
		return Finding{Runs, at}, false
	}
	found, ok := v.vouch(inner, n-at)
	return found.behind(at), ok
}

// interpreted accepts an entry that names the script or module itself; a
// shorter one would vouch for code that it never saw. What follows the script
// is the script's own affair, unless it is a module with a name here.
func (v vetting) interpreted(name string, p *program, words []string, n int) (Finding, bool) {
	at := script(name, words)
	switch {
	case at < n:
		if len(words) > n && !virtualMachines[name] && slices.ContainsFunc(words[1:at], inline) {
			return Finding{Runs, n}, false // a further -e may bring more code
		}
		if found, ok := v.plain(p, words, n); !ok {
			return found, false
		}
		if module := v.table.program(words[at]); module != nil {
			found, ok := v.plain(module, words[at:], n-at)
			return found.behind(at), ok
		}
		return Finding{}, true
	case len(words) == n:
		return Finding{Runs, 0}, n > 1 // the entry names every word
	default:
		return Finding{Runs, min(at, len(words)-1)}, len(words) == n+1 && versionOnly[words[n]]
	}
}

// virtualMachines are interpreters whose options bring no code.
var virtualMachines = wordSet("java jshell kotlin scala groovy swift erl")

// inline reports whether an option brings code of its own.
func inline(w string) bool {
	name, _, _ := strings.Cut(w, "=")
	if strings.HasPrefix(w, "--") {
		return name == "--eval" || name == "--print" || name == "--command"
	}
	return w != "" && w[0] == '-' && len(w) < 6 && strings.IndexByte("WXILMrl", w[min(1, len(w)-1)]) < 0 && strings.ContainsAny(w, "eEcp")
}

// script returns the index of the word that names the code to run, which may
// lie behind the last one.
func script(program string, words []string) int {
	i := 1
	for i < len(words) && (strings.HasPrefix(words[i], "-") || windowsOption(words[i])) {
		if interpreterValue[words[i]] {
			i++
		}
		i++
	}
	if i < len(words) && takesScript[program][words[i]] && !runsPackageScript(program, words[i:]) {
		i++ // deno run SCRIPT: the sub-command names no code yet
		for i < len(words) && strings.HasPrefix(words[i], "-") {
			i++
		}
	}
	return i
}

// runsPackageScript reports whether the words run a script that the project's
// own manifest names, as `bun run build` does.
func runsPackageScript(program string, words []string) bool {
	return program == "bun" && words[0] == "run" && len(words) > 1 && !isOption(words[1]) && !looksLikeFile(words[1])
}

// windowsOption reports whether a word is an option such as /c.
func windowsOption(w string) bool { return len(w) == 2 && w[0] == '/' }

// interpreterValue are options whose next word is a value, not the script.
var interpreterValue = wordSet(`-W -X -r -I -L -M -l -O -o -S -cp -classpath --class-path --module-path --add-modules
	--require --import --loader --experimental-loader --rcfile --init-file --preload --env-file --conditions --input-type`)

// takesScript are sub-commands of interpreters that are followed by the code.
var takesScript = map[string]map[string]bool{
	"deno":  wordSet("run eval serve compile install x repl jupyter bundle"),
	"bun":   wordSet("run x exec build create"),
	"swift": wordSet("run package repl"),
	"tsx":   wordSet("watch"),
	"dart":  wordSet("run"),
	"julia": wordSet("--"),
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

func all(words []string, ok func(string) bool) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !ok(w) })
}
