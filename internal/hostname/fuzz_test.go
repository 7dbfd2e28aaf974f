package hostname

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParse holds every accepted text against what the package promises: the
// canonical text reads as the same URL, Go's own parser finds the same host
// in it and in the given text, and the refusals are short and printable.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"https://docs.python.org/3/?q=1#f", "HTTP://A.example.:80", "python.org:443/x", "https://bücher.example/é",
		"http://[::ffff:7f00:1]:8080/", `https://evil.com\@python.org/`, "https://a@b.example", "http://0x7f.1/",
		"https://good。example/", "https://xn--bcher-kva.example", "https://go\tod.example/", "//x/y", "https://a.example:065/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := Parse(text)
		if err != nil {
			if u != (URL{}) || len(err.Error()) > 2000 || !utf8.ValidString(err.Error()) {
				t.Fatalf("%q: refused with %+v, %v", text, u, err)
			}
			return
		}
		again, err := Parse(u.String())
		again.respelled = u.respelled
		if err != nil || again != u {
			t.Fatalf("%q: %q reads as %+v, %v, not %+v", text, u, again, err, u)
		}
		for _, spelling := range []string{u.String(), strings.TrimSpace(text)} {
			other, err := url.Parse(spelling)
			if err != nil || !strings.Contains(spelling, "://") {
				continue // what Go cannot fetch, it cannot fetch from elsewhere
			}
			host := other.Hostname()
			if strings.Contains(host, ":") {
				host = "[" + host + "]"
			}
			same, err := Parse("https://" + host)
			if err != nil || same.Host != u.Host {
				t.Fatalf("%q: host %q here, %q in net/url", spelling, u.Host, other.Hostname())
			}
		}
		e, err := MintDomain(text)
		if err == nil && !e.Covers(u) && !u.respelled {
			t.Fatalf("%q: the grant %q does not cover it", text, e)
		}
		if n, want := u.Address(), mustParse(t, u.String()).Address(); n != want {
			t.Fatalf("%q: %s, but %s in its canonical text", text, n, want)
		}
	})
}

// FuzzParseEntry checks that an entry survives its own text and, whatever it
// says, never covers a host outside its own.
func FuzzParseEntry(f *testing.F) {
	for _, seed := range []string{"python.org", "https://a.example:8443/x/", "::1", "*.a.example", "com", "a.example/..", "fe80::1%eth0", "www.ck"} {
		f.Add(seed, "https://a.example/x")
	}
	f.Fuzz(func(t *testing.T, text, target string) {
		e, err := ParseEntry(text)
		if err != nil {
			if e != (Entry{}) {
				t.Fatalf("%q: refused with %+v", text, e)
			}
			return
		}
		again, err := ParseEntry(e.String())
		if err != nil || again != e {
			t.Fatalf("%q: %q reads as %+v, %v, not %+v", text, e, again, err, e)
		}
		u, err := Parse(target)
		if err == nil && e.Covers(u) && u.Host != e.Host() && !strings.HasSuffix(u.Host, "."+e.Host()) {
			t.Fatalf("%q covers %q", e, u)
		}
	})
}

// FuzzReach never finds less than Parse does.
func FuzzReach(f *testing.F) {
	for _, seed := range []string{"http://2852039166/", `http:\\a@169.254.43518\@b`, "::1", "http://①.1/", "//0x7f.1", "x://[::ffff:a9fe:a9fe%25lo]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		reached := Reach(text)
		if u, err := Parse(text); err == nil && u.Address() != Public && reached == Public {
			t.Errorf("%q is %s, and nothing was found", text, u.Address())
		}
	})
}
