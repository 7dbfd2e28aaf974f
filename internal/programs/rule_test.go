package programs

import (
	"slices"
	"strings"
	"testing"
)

// eachOption yields every program of programs.txt with every asking word.
func eachOption(yield func(program, under, word string, list []string, oneDash bool)) {
	for _, spec := range parseSpecs(builtinText) {
		oneDash := slices.Contains(spec.Attributes["options"], "one-dash-words")
		for _, effect := range effects[1:] {
			list := spec.Attributes[effect.attribute]
			for _, name := range spec.Names {
				program, under, _ := strings.Cut(name, "/")
				if slices.Contains(spec.Attributes["options"], "behind-dashes") {
					under += " --"
				}
				for _, w := range list {
					yield(program, under, w, list, oneDash)
				}
			}
		}
	}
}

var noWords = wordSet("none-but second targets names-program local-program paths")

// covers reports whether the entry vouches for a text of plain words; the
// entry is the first words of it.
func covers(entry, text string, m Matching) bool {
	_, ok := Builtin().Vouch(strings.Fields(text), len(strings.Fields(entry)), m)
	return ok
}

// bad returns commands that a word of programs.txt must refuse, as the words
// behind the program and its subcommand.
func bad(word string, oneDash bool) []string {
	name, values, guarded := strings.Cut(word, "?")
	name = strings.TrimSuffix(name, "*")
	value := "x"
	switch {
	case guarded && values == "":
		value = "/etc/x"
	case strings.HasPrefix(values, "!"):
		value, _, _ = strings.Cut(values[1:], ",")
		value += "x"
	}
	switch {
	case noWords[word]:
		return nil
	case word == "--*?":
		return []string{"--any-thing=" + value, "--z=../x", "--z=a/../../x", "--z=html:~/x"}
	case strings.HasPrefix(word, "reads="):
		return []string{strings.Repeat("f ", int(word[6]-'0')) + "out"}
	case oneDash && name[0] == '-':
		return []string{name + " " + value, name + "=" + value, "-" + name + "=" + value}
	case strings.HasPrefix(name, "--"):
		return []string{name + " " + value, name + "=" + value}
	case len(name) == 2 && name[0] == '-':
		return []string{name + " " + value, name + value, "-_" + name[1:] + value}
	case strings.HasSuffix(word, "="):
		return []string{word + "x", "NAME" + word[len(word)-1:] + "x"}[:max(1, 2*strings.Count("=", word))]
	case name == "@" || name == "+":
		return []string{name + "x"}
	default:
		return []string{name}
	}
}

func TestEveryOptionIsRefused(t *testing.T) {
	rows := 0
	eachOption(func(program, under, word string, line []string, oneDash bool) {
		words := bad(word, oneDash)
		if at := slices.Index(line, "none-but"); at >= 0 && slices.Index(line, word) > at {
			words = nil // these are the harmless ones
		}
		for _, w := range words {
			rows++
			entry, text := program, strings.TrimSpace(program+" "+under)
			if under != "" {
				entry = strings.TrimSuffix(text, " --")
			}
			for _, m := range []Matching{Strict, Precise} {
				if covers(entry, text+" "+w, m) {
					t.Errorf("%s vouches for %q (%d)", entry, text+" "+w, m)
				}
			}
		}
	})
	if rows < 1000 {
		t.Errorf("only %d rows", rows)
	}
	for _, n := range Builtin().names.list {
		name, p := n.name, n.program
		for _, r := range p.rules {
			if r.only != nil && covers(name, name+" zzz zzz", Precise) {
				t.Errorf("%s vouches for an unknown sub-command", name)
			}
			if r.targets && covers(name+" a", name+" a b", Precise) {
				t.Errorf("%s a vouches for a second target", name)
			}
		}
	}
}

// A table that refuses everything would pass the test above.
func TestEveryProgramOfTheTableIsUsable(t *testing.T) {
	for _, n := range Builtin().names.list {
		name, p := n.name, n.program
		if p.kind == Plain && !covers(name, name+" --version", Strict) {
			t.Errorf("%s does not vouch for its --version", name)
		}
	}
}

// The examples of a stanza are its test.
func TestEveryExampleHolds(t *testing.T) {
	rows := 0
	for _, spec := range parseSpecs(builtinText) {
		rows += len(spec.Attributes["ok"]) + len(spec.Attributes["ask"])
		if err := Builtin().examples(spec); err.Problem != "" {
			t.Errorf("%v: %v", spec.Names, err)
		}
	}
	if rows < 500 {
		t.Errorf("only %d words of examples", rows)
	}
}

// Every stanza that lists asking words shows one that asks.
func TestStanzasHaveExamples(t *testing.T) {
	for _, spec := range parseSpecs(builtinText) {
		if r, _ := newRule(spec, ""); r != nil && len(spec.Attributes["ask"]) == 0 && len(spec.Names) == 1 {
			t.Errorf("%v shows no command that asks", spec.Names)
		}
	}
}

func TestProgramName(t *testing.T) {
	for word, want := range map[string]string{
		"git": "git", "/usr/bin/git": "git", "GIT": "git", "git.exe": "git", "npx.cmd": "npx", "python3.11": "python", "python3": "python", "pip3": "pip", "perl5.36.0": "perl", "node18": "node",
		"gsort": "sort", "gfind": "find", "gxargs": "xargs", "gcc": "gcc", "gh": "gh", "go": "go", "gzip": "gzip", "gawk": "gawk", "a/": "a", "./gradlew": "gradlew", "ls-1": "ls-1", "": "", "/": "",
	} {
		if got := Builtin().Name(word); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestLocalPaths(t *testing.T) {
	for path, want := range map[string]bool{
		"": true, "a": true, "a/b.out": true, "./a": true, "./...": true, ".": true, "a/./b": true,
		"..": false, "../a": false, "a/../b": false, "/a": false, "~/a": false, ".git/hooks/x": false, "a/.env": false, `a\b`: false, "c:a": false, "xml:/etc/x": false, "//a": false,
	} {
		if local(path) != want {
			t.Errorf("%q: %v", path, !want)
		}
	}
}
