package hostname

import (
	"strings"
	"testing"
)

func TestMightReach(t *testing.T) {
	var entries []Entry
	for _, text := range []string{"evil.test", "https://bücher.example:8443/x", "192.0.2.7", "[fd00::7]"} {
		e, err := ParseEntry(text)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	set := NewSet(entries)
	for _, row := range []struct {
		text string
		want string // the host of the entry; "?" if the text is too long
	}{
		{"http://a:b@evil.test/", "evil.test"},
		{"http://a@b@evil.test/", "evil.test"},
		{`http://evil.test\.example.com/`, "evil.test"},
		{`http:\\evil.test\x`, "evil.test"},
		{"http:evil.test", "evil.test"},
		{"http:/evil.test/", "evil.test"},
		{"http:////evil.test/", "evil.test"},
		{"//evil.test", "evil.test"},
		{"//sub.evil.test:80/x", "evil.test"},
		{"http://ｅｖｉｌ.test/", "evil.test"},
		{"http://ⓔvil。test/", "evil.test"},
		{"http://ev\u00adil.test/", "evil.test"},
		{"http://%65vil.test/", "evil.test"},
		{"http://evil.test../", "evil.test"},
		{"ht\ttp://ev\nil.test", "evil.test"},
		{"http://evil.test/a b", "evil.test"},
		{"http://evil.test:99999/", "evil.test"},
		{"http://evil.test:/", "evil.test"},
		{"view-source:http://evil.test/", "evil.test"},
		{"view-source:http:evil.test/", "evil.test"},
		{"blob:https://evil.test/7", "evil.test"},
		{"feed:view-source:https://evil.test/7", "evil.test"},
		{"ws://evil.test/", "evil.test"},
		{"ftp://a:b@evil.test", "evil.test"},
		{"http://ＢÜcher.example/", "xn--bcher-kva.example"},
		{"http://a@3221225991/", "192.0.2.7"},
		{"http://0xc0.0.2.7/", "192.0.2.7"},
		{"http://[::ffff:192.0.2.7%25a]/", "192.0.2.7"},
		{"http://fd00::7/", "fd00::7"},
		{"http://evil.test/" + strings.Repeat("a", maxText), "evil.test"},
		{"http://evil.test/" + strings.Repeat("a", maxDoubtful), "?"},
		{"http://" + strings.Repeat("%AD", maxSpelling) + "evil.test/", "?"},
		{"data:image/png;base64," + strings.Repeat("a", maxDoubtful), ""},
		{"http://a@notevil.test/", ""},
		{"http://evil.test@example.com/", ""},
		{"javascript:alert(1)", ""},
		{"mailto:me@example.com", ""},
		{"about:blank", ""},
		{"", ""},
	} {
		got := ""
		e, hit, whole := set.MightReach(row.text)
		switch {
		case !whole:
			got = "?"
		case hit:
			got = e.Host()
		}
		if got != row.want {
			t.Errorf("%.60q: got %q, want %q", row.text, got, row.want)
		}
	}
	if _, hit, whole := (Set{}).MightReach("http://a@evil.test/"); hit || !whole {
		t.Error("an empty set speaks of something")
	}
}
