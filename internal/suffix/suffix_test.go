package suffix

import (
	"strings"
	"testing"

	"golang.org/x/net/publicsuffix"
)

func TestIs(t *testing.T) {
	for host, want := range map[string]bool{
		"com": true, "co.uk": true, "github.io": true, "ck": true, "x.ck": true, "www.ck": false, "a.x.ck": false,
		"python.org": false, "example.github.io": false, "localhost": false, "corp.example": false, "": false,
		"compute.amazonaws.com": true, "xn--p1ai": true, "kawasaki.jp": true, "city.kawasaki.jp": false,
	} {
		if Is(host) != want {
			t.Errorf("%q: %v, want %v", host, !want, want)
		}
	}
}

// The list is compared with another copy, which may be of another day.
func TestAgreesWithAnotherCopy(t *testing.T) {
	names, differing := 0, 0
	for line := range strings.Lines(list) {
		name := strings.TrimSpace(line)
		if name == "" || strings.ContainsAny(name, "*!/") {
			continue
		}
		names++
		if got, _ := publicsuffix.PublicSuffix(name); got != name {
			differing++
		}
		if child := "shop." + name; Is(child) {
			if got, _ := publicsuffix.PublicSuffix(child); got != child {
				differing++
			}
		}
	}
	if names < 9000 || differing > names/20 {
		t.Errorf("%d of %d names differ", differing, names)
	}
}
