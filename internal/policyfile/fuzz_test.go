package policyfile

import (
	"errors"
	"testing"
)

func FuzzParse(f *testing.F) {
	f.Add(Starter())
	for _, text := range []string{
		"version: 1\nmode: plan\n", "version: 1\nroots: [{path: /a, writable: true}]\n", "version: 1\ntools: {a: {risk: read, path_args: [b]}}\n",
		"version: 1\ndeny: {paths: ['*.x'], domains: [a.example]}\n", "version: 1\nlimits: {request_timeout: 1s}\n",
		"version: 1\nstanding_rules: {a: ['#b']}\n", "version: 1\nrisk_overrides: [{pattern: '*', risk: exec}]\n",
		"version: 1\nask: &a {}\ndeny: *a\n", "version: 1\n? - a\n: !!str b\n", "--- >-\n  a\n...\n---\n", "version: 1\nmode: \"\\u202e\"\n",
	} {
		f.Add([]byte(text))
	}
	f.Add([]byte(commentedOut.ReplaceAllString(string(Starter()), "$1")))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("p", data)
		var list Errors
		switch {
		case err == nil && p == nil:
			t.Fatal("neither a policy nor an error")
		case err != nil && (!errors.As(err, &list) || len(list) == 0):
			t.Fatalf("%T is no list of errors", err)
		case err != nil:
			return
		}
		// What was accepted can be shown, and reads as the same policy.
		again, err := Parse("p", p.Show())
		if err != nil {
			t.Fatalf("%v\nin\n%s", err, p.Show())
		}
		if a, b := flat(p), flat(again); a != b {
			t.Fatalf("shown:\n%s\nread:\n%s", a, b)
		}
	})
}
