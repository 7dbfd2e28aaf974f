package main

import (
	"fmt"
	"os/exec"
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

// Rows are the words before the cursor, the last one begun, and what bash offers.
func TestWhatBashOffers(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	_, script, _ := pdp(t, nil, "", "completion", "bash")
	for _, row := range []struct {
		words []string
		want  string
	}{
		{[]string{"pol"}, "policy"},
		{[]string{"explain", "--shell", ""}, "bash posix zsh powershell cmd"},
		{[]string{"explain", "--shell", "po"}, "posix powershell"},
		{[]string{"explain", "--shell", "="}, "bash posix zsh powershell cmd"},
		{[]string{"explain", "--shell", "=", "z"}, "zsh"},
		{[]string{"explain", "--shell", "zsh", "--sh"}, "--shell"},
		{[]string{"explain", "-o", ""}, "table json"},
		{[]string{"serve", "--policy", ""}, ""}, // then bash offers files
		{[]string{"policy", "init", "--for"}, "--force"},
		{[]string{"completion", "f"}, "fish"},
	} {
		quoted := make([]string, len(row.words))
		for i, w := range row.words {
			quoted[i] = shellQuote(w)
		}
		asks := fmt.Sprintf("%s\nCOMP_WORDS=(pdp %s) COMP_CWORD=%d\n_pdp\necho \"${COMPREPLY[*]}\"", script, strings.Join(quoted, " "), len(row.words))
		out, err := exec.Command(shell, "-c", asks).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != row.want {
			t.Errorf("%q: %q, want %q (%v)", row.words, got, row.want, err)
		}
	}
}
