package policyfile

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var commentedOut = regexp.MustCompile(`(?m)^#(\S|  )`)

func TestTheStarterIsAPolicyThatAllowsNothing(t *testing.T) {
	f := mustParse(t, string(Starter()))
	if f.Rules() != 0 || f.Spec.Mode != "interactive" {
		t.Errorf("%d rules, mode %s", f.Rules(), f.Spec.Mode)
	}
}

func TestTheStarterWithoutItsHashesIsAPolicyThatNamesEveryKey(t *testing.T) {
	f := mustParse(t, commentedOut.ReplaceAllString(string(Starter()), "$1"))
	for _, k := range keys(f) {
		if !f.given[k.name] {
			t.Errorf("%s is missing", k.name)
		}
	}
	// Every field of the engine's policy but those that no file sets.
	v := reflect.ValueOf(f.Spec)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if v.Field(i).IsZero() && name != "Home" && name != "OwnAddresses" {
			t.Errorf("no key sets %s", name)
		}
	}
}

func TestWhatIsShownReadsAsTheSamePolicy(t *testing.T) {
	for _, text := range []string{
		"version: 1\n",
		string(Starter()),
		commentedOut.ReplaceAllString(string(Starter()), "$1"),
		"version: 1\nroots: []\ninspect: {allowed_roots: []}\n",
		`{version: 1, auto_allow_tools: ["yes", "1.10", "null", "a: b", "# x", "2026-01-02", "~", "*", "é", "0x10", "- a", "'", "<<", "="]}`,
	} {
		f := mustParse(t, text)
		shown := f.Show()
		again, err := Parse("b", shown)
		if err != nil {
			t.Fatalf("%v in\n%s", err, shown)
		}
		if a, b := flat(f), flat(again); a != b {
			t.Errorf("shown:\n%s\nread:\n%s", a, b)
		}
	}
}

// flat shows a policy without its revision and without remarks.
func flat(f *File) string {
	var b strings.Builder
	for line := range strings.Lines(string(f.Show())) {
		if !strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func TestWhatIsShownSaysWhichValuesAreDefaults(t *testing.T) {
	shown := string(mustParse(t, "version: 1\nmode: plan\n").Show())
	for _, want := range []string{
		"# revision: sha256:", "\nmode: plan\n", "# default:\nmax_mode: plan\n", "# roots is not set\n",
		"# default:\nunknown_tools: external\n", "# default:\nallowed_commands: []\n", "body_bytes: 1048576\n", "drain_timeout: 20s\n",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is missing in\n%s", want, shown)
		}
	}
	if strings.Contains(shown, "default:\nmode") {
		t.Error("mode was given")
	}
}

func TestRulesAreCounted(t *testing.T) {
	f := mustParse(t, "version: 1\nallowed_commands: [ls, cat]\ndeny: {paths: [.env]}\nstanding_rules: {send: [a, b]}\n")
	if f.Rules() != 5 {
		t.Error(f.Rules())
	}
}
