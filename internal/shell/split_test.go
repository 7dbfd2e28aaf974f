package shell

import (
	"bufio"
	"os"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
)

// testdata/shlex.jsonl holds the answers of Python's shlex.split; null is an
// error.
func TestSplitLikePython(t *testing.T) {
	f, err := os.Open("testdata/shlex.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows := 0
	for lines := bufio.NewScanner(f); lines.Scan(); rows++ {
		var row struct {
			Text  string    `json:"text"`
			Words *[]string `json:"words"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		words, err := Split(row.Text)
		if (err != nil) != (row.Words == nil) || row.Words != nil && !slices.Equal(words, *row.Words) {
			t.Errorf("%q: got %q, %v; Python says %v", row.Text, words, err, row.Words)
		}
	}
	if rows < 200 {
		t.Errorf("only %d rows", rows)
	}
}

func FuzzSplit(f *testing.F) {
	for _, text := range []string{"", "a b", "'a b'", `"a\"b"`, `a\ b`, `\`, `"`, "''", "a'b'\"c\"", "é\x00\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words, err := Split(text)
		if err != nil {
			if words != nil {
				t.Fatalf("%q: words %q beside %v", text, words, err)
			}
			return
		}
		var quoted []byte
		total := 0
		for _, w := range words {
			total += len(w)
			quoted = append(quoted, ' ')
			quoted = append(quoted, quote(w)...)
		}
		if total > len(text) {
			t.Fatalf("%q became longer: %q", text, words)
		}
		if again, err := Split(string(quoted)); err != nil || !slices.Equal(again, words) {
			t.Fatalf("%q: %q becomes %q, %v", text, words, again, err)
		}
	})
}

// quote writes a word as a shell would read it back.
func quote(word string) string {
	out := []byte{'\''}
	for i := 0; i < len(word); i++ {
		if word[i] == '\'' {
			out = append(out, `'\''`...)
		} else {
			out = append(out, word[i])
		}
	}
	return string(append(out, '\''))
}
