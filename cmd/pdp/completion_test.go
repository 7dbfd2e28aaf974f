package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func modelForTest(t *testing.T) *kong.Application {
	t.Helper()
	k, err := kong.New(&cli{}, kong.Name("pdp"))
	if err != nil {
		t.Fatal(err)
	}
	return k.Model
}

func TestCompletionKnowsEveryCommandAndFlag(t *testing.T) {
	nodes := nodesOf(modelForTest(t).Node, nil)
	for _, shell := range []string{"bash", "zsh", "fish"} {
		code, script, errs := pdp(t, nil, "", "completion", shell)
		if code != exitOK {
			t.Fatal(errs)
		}
		for _, n := range nodes {
			for _, w := range n.words {
				text := w.text
				if shell == "fish" {
					text = strings.TrimPrefix(text, "--")
				}
				if !strings.Contains(script, text) {
					t.Errorf("%s: %s %s is missing", shell, n.label(), w.text)
				}
			}
		}
	}
}

func TestWhatCanFollow(t *testing.T) {
	words := map[string][]string{}
	for _, n := range nodesOf(modelForTest(t).Node, nil) {
		for _, w := range n.words {
			words[n.label()] = append(words[n.label()], w.text)
		}
	}
	for _, row := range []struct{ after, word string }{
		{"", "serve"},
		{"", "completion"},
		{"policy", "check"},
		{"policy init", "--force"},
		{"serve", "--drain-delay"},
		{"completion", "fish"},
		{"decide", "--help"},
	} {
		if !slices.Contains(words[row.after], row.word) {
			t.Errorf("after %q comes no %s", row.after, row.word)
		}
	}
}
