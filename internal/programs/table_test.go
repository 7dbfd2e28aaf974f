package programs

import (
	"slices"
	"strings"
	"testing"
)

// eachWord yields every program of programs.txt with every word that asks, and
// how its options are written.
func eachWord(yield func(program, under, word string, line, options []string)) {
	for names, attributes := range stanzas(builtinText) {
		for key, words := range attributes {
			if effects[key] == None {
				continue
			}
			for _, name := range names {
				program, under, _ := strings.Cut(name, "/")
				for _, w := range words {
					yield(program, under, w, words, attributes["options"])
				}
			}
		}
	}
}

// vouched asks for an entry that is a beginning of the command; launchers are
// asked in precise matching, which alone honours them.
func vouched(entry, text string) bool {
	words := strings.Fields(text)
	m := Strict
	if builtin.Kind(words[0]) == Launcher {
		m = Precise
	}
	_, ok := builtin.Vouch(words, len(strings.Fields(entry)), m)
	return ok
}

// bad returns commands that a word of the table must refuse, as the words
// behind the program and its subcommand.
func bad(word string, line, options []string) []string {
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
	switch oneDash := slices.Contains(options, "one-dash-words"); {
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

func TestEveryWordIsRefused(t *testing.T) {
	rows := 0
	eachWord(func(program, under, word string, line, options []string) {
		words := bad(word, line, options)
		if at := slices.Index(line, "none-but"); at >= 0 && slices.Index(line, word) > at {
			words = nil // these are the harmless ones
		}
		for _, w := range words {
			rows++
			entry := strings.TrimSpace(program + " " + under)
			if vouched(entry, entry+" "+w) {
				t.Errorf("%s vouches for %q", entry, entry+" "+w)
			}
		}
	})
	if rows < 1000 {
		t.Errorf("only %d rows", rows)
	}
	for program, list := range builtin.harms {
		for _, h := range list {
			if h.only != nil && vouched(program, program+" zzz zzz") {
				t.Errorf("%s vouches for an unknown subcommand", program)
			}
			if h.targets && vouched(program+" a", program+" a b") {
				t.Errorf("%s a vouches for a second target", program)
			}
		}
	}
}

// A table that refuses everything would pass the test above.
func TestEveryProgramIsUsable(t *testing.T) {
	for program := range builtin.harms {
		if builtin.kinds[program] != Plain {
			continue
		}
		if !vouched(program, program+" --version") {
			t.Errorf("%s does not vouch for %s --version", program, program)
		}
	}
}

// The examples in the table are its rows: what an entry vouches for that names
// the program and, where a stanza is about one, the subcommand.
func TestExamples(t *testing.T) {
	rows := 0
	for names, attributes := range stanzas(builtinText) {
		for key, want := range map[string]bool{"ok": true, "ask": false} {
			for text := range strings.SplitSeq(strings.Join(attributes[key], " "), " | ") {
				if text == "" {
					continue
				}
				rows++
				words := splitExample(text)
				n := 1
				if strings.Contains(names[0], "/") || want && builtin.Kind(words[0]) != Plain || needsSubcommand(words) && want {
					n = min(2, len(words))
				}
				if _, got := builtin.Vouch(words, n, Strict); got != want {
					t.Errorf("%q vouches for %q: %v", strings.Join(words[:n], " "), text, got)
				}
			}
		}
	}
	if rows < 150 {
		t.Errorf("only %d examples", rows)
	}
}

// needsSubcommand reports whether the bare program's entry asks about the
// example's subcommand, which a longer entry names.
func needsSubcommand(words []string) bool {
	_, ok := builtin.Vouch(words, 1, Strict)
	return !ok
}

// splitExample splits at blanks outside single quotes.
func splitExample(text string) (words []string) {
	for i, part := range strings.Split(text, "'") {
		switch {
		case i%2 == 1:
			words = append(words, part)
		default:
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

func TestProgramName(t *testing.T) {
	for word, want := range map[string]string{
		"git": "git", "/usr/bin/git": "git", "GIT": "git", "git.exe": "git", "npx.cmd": "npx", "python3.11": "python", "python3": "python", "pip3": "pip", "perl5.36.0": "perl", "node18": "node",
		"gsort": "sort", "gfind": "find", "gxargs": "xargs", "gcc": "gcc", "gh": "gh", "go": "go", "gzip": "gzip", "gawk": "gawk", "a/": "a", "./gradlew": "gradlew", "ls-1": "ls-1", "": "", "/": "",
	} {
		if got := builtin.Name(word); got != want {
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
