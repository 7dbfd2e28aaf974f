package programs

import (
	"slices"
	"strings"
)

// Vouch reports whether an entry that names the first n words may stand for the
// whole command: the words behind it must be plain arguments, not another
// program, code, or an option that writes or runs something. If not, the
// finding is the word that asks.
func (t *Table) Vouch(words []string, n int, m Matching) (Finding, bool) {
	if t == nil || n < 1 || n > len(words) {
		return Finding{Runs, -1}, false
	}
	program := t.Name(words[0])
	if m == Strict && originalRefuses(program, words) {
		return Finding{Runs, -1}, false
	}
	switch kind := t.kinds[program]; {
	case kind == Interpreter:
		return Finding{Runs, -1}, t.vouchInterpreter(program, words, n)
	case kind == Launcher && m == Strict:
		return Finding{Runs, -1}, false
	case kind == Plain, kind == Launcher && t.reads(program, words, n):
	case m == Precise:
		return Finding{Runs, -1}, t.vouchInner(program, words, n)
	default:
		return Finding{Runs, -1}, len(words) == n || onlyLooksUp(words, n) || t.vouchTransparent(program, words, n)
	}
	f, hit := t.harmful(program, words, n)
	return f, !hit
}

func (t *Table) vouchTransparent(program string, words []string, n int) bool {
	if !transparent[program] || n < 2 || isOption(words[1]) {
		return false
	}
	_, ok := t.Vouch(words[1:], n-1, Strict)
	return ok
}

// reads reports whether the entry names a subcommand of a launcher that runs
// nothing and changes nothing.
func (t *Table) reads(program string, words []string, n int) bool {
	reading := t.facts[program].reading
	return n > 1 && slices.Contains(reading, words[1]) || n > 2 && slices.Contains(reading, words[1]+"+"+words[2])
}

// namesInner are wrappers and launchers whose first word is the program, if it
// is no option.
var namesInner = wordSet("npx pnpx bunx uvx sudo doas watch xargs time command exec setsid ccache nohup")

// vouchInner accepts an entry that names the inner command itself, or every
// word.
func (t *Table) vouchInner(program string, words []string, n int) bool {
	if len(words) == n && n > 1 || onlyLooksUp(words, n) {
		return true
	}
	at, ok := t.Inner(words)
	if !ok && namesInner[program] && len(words) > 1 && !isOption(words[1]) {
		at, ok = 1, true
	}
	if !ok || at >= n {
		return false
	}
	_, ok = t.Vouch(words[at:], n-at, Precise)
	return ok
}

// originalRefuses is the original engine's whole test: what it refuses is
// refused whatever the entry names.
func originalRefuses(program string, words []string) bool {
	for _, w := range words[1:] {
		if dangerous[strings.ToLower(w)] || inlineCode[w] && originalInterpreters[program] {
			return true
		}
	}
	return false
}

// onlyLooksUp accepts `command -v NAME`, which prints where a program is.
func onlyLooksUp(words []string, n int) bool {
	return words[0] == "command" && n > 1 && lookUp[words[1]]
}

// transparent are runners whose first word is the program, which an entry may
// go on to name: `time go test` vouches like `go test`.
var transparent = wordSet("time command exec setsid ccache")

var lookUp = wordSet("-v -V")

// vouchInterpreter accepts an entry that names the script or module itself;
// a shorter one would vouch for code that it never saw. What follows the
// script is the script's own affair, unless it is a module with a name here.
func (t *Table) vouchInterpreter(program string, words []string, n int) bool {
	at := script(program, words)
	switch {
	case at < n:
		_, own := t.harmful(program, words, n)
		_, module := t.harmful(t.Name(words[at]), words[at:], n-at)
		return !own && !module
	case len(words) == n:
		return n > 1 // the entry names every word
	default:
		return len(words) == n+1 && versionOnly[words[n]]
	}
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
		i++ // deno run SCRIPT: the subcommand names no code yet
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

// takesScript are subcommands of interpreters that are followed by the code.
var takesScript = map[string]map[string]bool{
	"deno":  wordSet("run eval serve compile install x repl jupyter bundle"),
	"bun":   wordSet("run x exec build create"),
	"swift": wordSet("run package repl"),
	"tsx":   wordSet("watch"),
	"dart":  wordSet("run"),
	"julia": wordSet("--"),
}

func looksLikeFile(w string) bool {
	return !strings.HasPrefix(w, "-") && strings.ContainsAny(w, "./")
}
