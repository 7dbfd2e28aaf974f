package audit

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/decide"
)

// A text is shown the same the first, second and third time, whatever came between.
func TestWhatRecursIsShownAsBefore(t *testing.T) {
	texts := []string{"", "git status", "the command `git status` only reads", strings.Repeat("x", maxRecurring), strings.Repeat("x", maxRecurring+1)}
	for _, secret := range planted {
		texts = append(texts, secret, "run "+secret+" now")
	}
	for round := range 4 {
		for _, s := range texts {
			if got, want := hideRecurring(s), hideSecrets(s); got != want {
				t.Errorf("round %d: %q is shown as %q, want %q", round, s, got, want)
			}
			if recurs(s) && hideSecrets(s) != s {
				t.Errorf("%q is remembered", s)
			}
		}
	}
	if recurring.places[0].text.Load() == nil && !recurs("git status") {
		t.Error("nothing was remembered")
	}
}

// A secret in the call is known for one where the decision quotes the call, also if
// the same event came before.
func TestASecretThatRecursIsHidden(t *testing.T) {
	for range 4 {
		got := encoded(nil, &Event{
			Tool: "run", Arguments: decide.NewObject(decide.Member{Name: "password", Value: decide.Text(mark)}),
			Decision: &decide.Decision{Reason: "the argument " + mark + " is odd", Rule: mark},
		})
		if survives(got) {
			t.Fatal(got)
		}
	}
	if recurs(mark) || recurs("the argument "+mark+" is odd") {
		t.Error("it is remembered")
	}
}

// Once a text is remembered, it costs no memory; one that comes once takes none.
func TestTextsAreRememberedTheSecondTime(t *testing.T) {
	const s = "a text of this test alone"
	for n, want := range []bool{false, false, true, true} {
		if recurs(s) != want {
			t.Errorf("before time %d: %t", n+1, !want)
		}
		hideRecurring(s)
	}
}

func FuzzRecurring(f *testing.F) {
	f.Add("password=" + mark)
	f.Add("plain")
	f.Fuzz(func(t *testing.T, s string) {
		want := hideSecrets(s)
		for range 3 {
			if got := hideRecurring(s); got != want {
				t.Fatalf("%q is shown as %q, want %q", s, got, want)
			}
		}
	})
}

// Each byte is seen at each place, whatever stands beside it.
func TestPlainASCII(t *testing.T) {
	for c := range 256 {
		want := c >= ' ' && c < 0x7f && c != '"' && c != '\\'
		for _, beside := range []byte{' ', '!', '#', '[', ']', '~', 'a'} {
			for at := range 19 {
				s := bytes.Repeat([]byte{beside}, 19)
				s[at] = byte(c)
				if plainASCII(string(s)) != want {
					t.Fatalf("%q: %t", s, !want)
				}
			}
		}
	}
	if !plainASCII("") {
		t.Error("nothing is not plain")
	}
}

// A text is quoted as the JSON library does it.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "plain", "a\"b", `a\b`, "a\nb", "\x7f", "\x1f", "ä", "\xff", "<&>", "\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var e encoder
		e.quote(s)
		if want, _ := jsontext.AppendQuote(nil, s); string(e.buf) != string(want) {
			t.Errorf("%q is quoted as %s, want %s", s, e.buf, want)
		}
	})
}

// mayName is the plain search for the stems.
func FuzzMayName(f *testing.F) {
	for _, s := range stems {
		f.Add("x" + s)
		f.Add(strings.ToUpper(s) + "_y")
	}
	f.Add("")
	f.Add("p")
	f.Add(strings.Repeat("x", 200) + "pat")
	f.Add("pat" + strings.Repeat("x", 200))
	f.Fuzz(func(t *testing.T, name string) {
		low := []byte(name[max(0, len(name)-maxNameRead):])
		for i := range low {
			low[i] |= 0x20
		}
		want := false
		for _, s := range stems {
			want = want || strings.Contains(string(low), s)
		}
		if mayName(name) != want {
			t.Errorf("%q: %t", name, !want)
		}
	})
}
