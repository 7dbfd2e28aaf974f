package shell

import (
	"slices"
	"strings"
	"testing"
)

// eachOption yields every program of options.txt with every word of its lines.
func eachOption(yield func(program, under, word string, line []string)) {
	for line := range strings.Lines(optionsText) {
		line, _, _ = strings.Cut(line, "#")
		names, words, ok := strings.Cut(line, ": ")
		if !ok {
			continue
		}
		list := strings.Fields(words)
		for _, name := range strings.Fields(names) {
			program, under, _ := strings.Cut(name, "/")
			for _, w := range list {
				yield(program, under, w, list)
			}
		}
	}
}

// bad returns commands that a word of options.txt must refuse, as the words
// behind the program and its subcommand.
func bad(word string, line []string) []string {
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
	switch oneDash := slices.Contains(line, "one-dash-words"); {
	case keywords[word] != nil, name[0] == '-' && strings.HasSuffix(word, ":"):
		return nil
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
	eachOption(func(program, under, word string, line []string) {
		words := bad(word, line)
		if at := slices.Index(line, "none-but"); at >= 0 && slices.Index(line, word) > at {
			words = nil // these are the harmless ones
		}
		for _, w := range words {
			rows++
			entry, text := program, strings.TrimSpace(program+" "+under)
			if under != "" {
				entry = text
			}
			if covered(t, entry, text+" "+w) {
				t.Errorf("%s vouches for %q", entry, text+" "+w)
			}
		}
	})
	if rows < 1000 {
		t.Errorf("only %d rows", rows)
	}
	for program, list := range harms {
		for _, h := range list {
			if h.only != nil && covered(t, program, program+" zzz zzz") {
				t.Errorf("%s vouches for an unknown subcommand", program)
			}
			if h.targets && covered(t, program+" a", program+" a b") {
				t.Errorf("%s a vouches for a second target", program)
			}
		}
	}
}

// A table that refuses everything would pass the test above.
func TestEveryProgramOfTheTableIsUsable(t *testing.T) {
	for program := range harms {
		entry, text := program, program+" --version"
		if classes[program] == interpreter || program == "[" {
			continue // only with a script; [ is a pattern to the strict reader
		}
		if !covered(t, entry, text) {
			t.Errorf("%s does not vouch for %q", entry, text)
		}
	}
}

func TestProgramName(t *testing.T) {
	for word, want := range map[string]string{
		"git": "git", "/usr/bin/git": "git", "GIT": "git", "git.exe": "git", "npx.cmd": "npx", "python3.11": "python", "python3": "python", "pip3": "pip", "perl5.36.0": "perl", "node18": "node",
		"gsort": "sort", "gfind": "find", "gxargs": "xargs", "gcc": "gcc", "gh": "gh", "go": "go", "gzip": "gzip", "gawk": "gawk", "a/": "a", "./gradlew": "gradlew", "ls-1": "ls-1", "": "", "/": "",
	} {
		if got := programName(word); got != want {
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
