package hostname

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

func mustEntry(t testing.TB, text string) Entry {
	t.Helper()
	e, err := ParseEntry(text)
	if err != nil {
		t.Fatalf("ParseEntry: %v", err)
	}
	return e
}

func TestParseEntryAccepts(t *testing.T) {
	for _, row := range []struct{ text, canonical string }{
		{"python.org", "python.org"},
		{" PYTHON.org. ", "python.org"},
		{"example.github.io", "example.github.io"},
		{"www.ck", "www.ck"},
		{"good.example", "good.example"},
		{"bücher.example", "xn--bcher-kva.example"},
		{"localhost", "localhost"},
		{"intranet", "intranet"},
		{"python.org:8443", "python.org:8443"},
		{"https://docs.python.org/foo/", "https://docs.python.org/foo"},
		{"https://python.org:443/", "https://python.org"},
		{"docs.python.org/a/b", "docs.python.org/a/b"},
		{"127.0.0.1", "127.0.0.1"},
		{"::1", "[::1]"},
		{"[::1]:80", "[::1]:80"},
		{"http://[::ffff:1.2.3.4]/", "http://[::ffff:1.2.3.4]"},
	} {
		e, err := ParseEntry(row.text)
		if err != nil || e.String() != row.canonical {
			t.Errorf("%q: got %q, %v, want %q", row.text, e, err, row.canonical)
		}
		again, err := ParseEntry(e.String())
		if err != nil || again != e {
			t.Errorf("%q: %q reads as another entry: %v", row.text, e, err)
		}
	}
}

func TestParseEntryRefuses(t *testing.T) {
	for _, row := range []struct {
		text string
		kind Kind
	}{
		{"", KindEmpty},
		{" ", KindEmpty},
		{"*", KindWildcard},
		{"*.example.com", KindWildcard},
		{"https://*.example.com/", KindWildcard},
		{"exampl?.com", KindWildcard},
		{"a.example b.example", KindBlank},
		{"a.example\tb", KindControl},
		{"com", KindPublicSuffix},
		{"org.", KindPublicSuffix},
		{"co.uk", KindPublicSuffix},
		{"CO.UK", KindPublicSuffix},
		{"github.io", KindPublicSuffix},
		{"https://github.io/me", KindPublicSuffix},
		{"ck", KindPublicSuffix},
		{"anything.ck", KindPublicSuffix},
		{"compute.amazonaws.com", KindPublicSuffix}, // parent of a listed wildcard
		{"公司.cn", KindPublicSuffix},
		{"xn--55qx5d.cn", KindPublicSuffix},
		{".python.org", KindEmptyLabel},
		{"a@python.org", KindUserinfo},
		{`evil.com\@python.org`, KindBackslash},
		{"ftp://python.org", KindScheme},
		{"x://python.org", KindScheme},
		{"python.org/?q", KindQuery},
		{"python.org/#q", KindQuery},
		{"python.org#q", KindQuery},
		{"python.org/a/../b", KindPath},
		{"python.org/a%2fb", KindPath},
		{"python.org//a", KindPath},
		{"python.org/./a", KindPath},
		{`python.org/a\b`, KindPath},
		{"xn--python-.org", KindIDN},
		{"python。org", KindIDN},
		{"2130706433", KindIPForm},
		{"0:0:0:0:0:0:0:1", KindIPForm},
		{"10.0.0.0/8", KindCIDR},
		{"10.0.0.0./8", KindCIDR},
		{"python.org:99999", KindPort},
		{"[::1", KindIPv6},
		{"fe80::1%eth0", KindIPv6},
		{"2001:db8::1", KindIPv6},
	} {
		e, err := ParseEntry(row.text)
		if kindOf(t, err) != row.kind {
			t.Errorf("%q: got kind %q (%q), want %q", row.text, kindOf(t, err), e, row.kind)
		}
	}
}

func TestWildcardErrorSaysWhatToWrite(t *testing.T) {
	for text, want := range map[string]string{
		"*.example.com": `"*.example.com" holds a wildcard; write "example.com", which covers its subdomains`,
		"*.com":         `"*.com" holds a wildcard; write the domain alone, such as "example.com", which covers its subdomains`,
	} {
		if _, err := ParseEntry(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestCovers(t *testing.T) {
	for _, row := range []struct {
		entry, url    string
		covers, might bool
	}{
		{"python.org", "https://python.org/", true, true},
		{"python.org", "https://docs.python.org/", true, true},
		{"python.org", "http://a.b.python.org:8080/x", true, true},
		{"python.org", "https://PYTHON.org/", true, true},

		// One name of DNS, whatever its spelling.
		{"python.org", "https://python.org./", true, true},
		{"python.org.", "https://docs.python.org/", true, true},
		{"python.org.", "https://python.org./", true, true},
		{"python.org.", "https://docs.python.org./", true, true},
		{"python.org", "https://evilpython.org/", false, false},
		{"python.org", "https://evil-python.org/", false, false},
		{"python.org", "https://python.org.evil.com/", false, false},
		{"python.org", "https://org/", false, false},
		{"modelcontextprotocol.io", "https://modelcontextprotocol.io.example.com/a", false, false},
		{"docs.python.org", "https://python.org/", false, false},
		{"xn--bcher-kva.example", "https://bücher.example/", true, true},
		{"bücher.example", "https://a.bücher.example/", true, true},
		{"bücher.example", "https://xn--bcher-kva.example/", true, true},

		// A single label is that host; a list that restricts takes more.
		{"localhost", "http://localhost:3000/", true, true},
		{"localhost", "http://app.localhost/", false, true},
		{"intranet", "http://x.intranet/", false, true},

		// Scheme and port.
		{"https://a.example", "https://a.example/x", true, true},
		{"https://a.example", "https://b.a.example/x", true, true},
		{"https://a.example", "http://a.example/", false, false},
		{"https://a.example", "https://a.example:8443/", false, true},
		{"https://a.example:8443", "https://a.example:8443/", true, true},
		{"a.example:8443", "https://a.example/", false, false},
		{"a.example:443", "https://a.example/", true, true},
		{"a.example:443", "http://a.example/", false, false},

		// Paths, by segment.
		{"a.example/docs", "https://a.example/docs", true, true},
		{"a.example/docs", "https://a.example/docs/", true, true},
		{"a.example/docs/", "https://a.example/docs", true, true},
		{"a.example/docs", "https://a.example/docs/x?y=/../z", true, true},
		{"a.example/docs", "https://a.example/docsx", false, false},
		{"a.example/docs", "https://a.example/", false, false},
		{"a.example/docs", "https://a.example/DOCS", false, true},
		{"a.example/docs", "https://a.example/%64ocs", false, true},
		{"a.example/docs", "https://a.example/docs/../x", false, true},
		{"a.example/docs", "https://a.example/docs/%2E%2e/x", false, true},
		{"a.example/docs", "https://a.example/docs/%252e%252e/x", false, true},
		{"a.example/docs", "https://a.example/docs/..;/x", false, true},
		{"a.example/docs", "https://a.example/docs%2fx", false, true},
		{"a.example/docs", "https://a.example/docs/%5c..%5cx", false, true},
		{"a.example/docs", `https://a.example/docs/..\x`, false, true},
		{"a.example/docs", "https://a.example//docs/x", false, true},
		{"a.example/docs", "https://a.example/docs/.", false, true},
		{"a.example/docs", "https://b.example/docs/../x", false, false},

		// Addresses, exactly; a list that restricts sees through wrapping.
		{"127.0.0.1", "http://127.0.0.1/", true, true},
		{"1.2.3.4", "http://1.2.3.40/", false, false},
		{"::1", "http://[::1]:80/", true, true},
		{"::1", "http://[0:0:0:0:0:0:0:1]/", false, true},
		{"127.0.0.1", "http://[::ffff:127.0.0.1]/", false, true},
		{"::ffff:127.0.0.1", "http://127.0.0.1/", false, true},
		{"127.0.0.1", "http://localhost/", false, false},
	} {
		e, u := mustEntry(t, row.entry), mustParse(t, row.url)
		if e.Covers(u) != row.covers || e.MightCover(u) != row.might {
			t.Errorf("%q on %q: covers %v, might cover %v", row.entry, row.url, e.Covers(u), e.MightCover(u))
		}
		set := NewSet([]Entry{mustEntry(t, "other.example"), e, e, {}})
		if got, ok := set.Covers(u); ok != row.covers || ok && got != e {
			t.Errorf("%q on %q: the set covers %v", row.entry, row.url, ok)
		}
		if got, ok := set.MightCover(u); ok != row.might || ok && got != e {
			t.Errorf("%q on %q: the set might cover %v", row.entry, row.url, ok)
		}
		if set.Len() != 2 {
			t.Errorf("set of two entries has %d", set.Len())
		}
	}
}

func TestZeroValuesMatchNothing(t *testing.T) {
	u, e := mustParse(t, "https://a.example/"), mustEntry(t, "a.example")
	for name, hit := range map[string]bool{
		"zero entry":      Entry{}.Covers(u) || Entry{}.MightCover(u),
		"zero both":       Entry{}.Covers(URL{}) || Entry{}.MightCover(URL{}),
		"zero URL":        e.Covers(URL{}) || e.MightCover(URL{}),
		"zero networks":   Networks{}.Contains(u) || Networks{}.Contains(URL{}),
		"set of nothing":  covered(Set{}, u) || covered(NewSet(nil), u) || covered(NewSet([]Entry{{}}), URL{}),
		"set on zero URL": covered(NewSet([]Entry{e}), URL{}),
	} {
		if hit {
			t.Errorf("%s matches", name)
		}
	}
	if got := (URL{}).String() + (Entry{}).String(); got != "" {
		t.Errorf("zero values print %q", got)
	}
}

func covered(s Set, u URL) bool {
	_, sure := s.Covers(u)
	_, maybe := s.MightCover(u)
	return sure || maybe
}

func TestMintDomain(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"https://www.python.org/3/?q#f", "python.org"},
		{"http://docs.python.org:8080/x", "docs.python.org"},
		{"WWW.Python.org.", "python.org"},
		{"www.www.python.org", "www.python.org"},
		{"www2.python.org", "www2.python.org"},
		{"localhost:3000", "localhost"},
		{"https://[::1]:80/", "[::1]"},
		{"https://[2001:DB8::1]/", "[2001:db8::1]"},
		// The rest would vouch for strangers or for another host.
		{"https://www.com/", "www.com"},
		{"https://www.co.uk/", "www.co.uk"},
		{"https://www.ck/", "www.ck"},
		{"https://www.wiki/", "www.wiki"},
	} {
		e, err := MintDomain(row.text)
		if err != nil || e.String() != row.want {
			t.Errorf("%q: got %q, %v, want %q", row.text, e, err, row.want)
		}
	}
	for text, kind := range map[string]Kind{
		"":                          KindEmpty,
		"https://github.io/":        KindPublicSuffix,
		"com":                       KindPublicSuffix,
		"https://a@b.example/":      KindUserinfo,
		"*.python.org":              KindHostCharacter,
		"javascript://python.org/":  KindScheme,
		"http://[0:0:0:0:0:0:0:1]/": "",
	} {
		if _, err := MintDomain(text); kindOf(t, err) != kind {
			t.Errorf("%q: %v, want kind %q", text, err, kind)
		}
	}
}

func TestParseGrant(t *testing.T) {
	for text, kind := range map[string]Kind{
		"python.org":        "",
		"www.python.org":    "",
		"::1":               "",
		"2001:db8::1":       "",
		"PYTHON.org":        KindNotCanonical,
		"python.org.":       KindNotCanonical,
		" python.org":       KindNotCanonical,
		"python.org:443":    KindNotCanonical,
		"https://a.example": KindNotCanonical,
		"a.example/x":       KindNotCanonical,
		"":                  KindEmpty,
		"org":               KindPublicSuffix,
	} {
		if _, err := ParseGrant(text); kindOf(t, err) != kind {
			t.Errorf("%q: %v, want kind %q", text, err, kind)
		}
	}
}

// A matcher that compares texts is the yardstick: testdata/textual.jsonl
// holds its answers. Ours may be stricter where a text or an entry is refused
// or restricts, and is wider only where DNS knows one name by two spellings.
func TestNeverWiderThanTextMatching(t *testing.T) {
	file, err := os.Open("testdata/textual.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows := 0
	for scan := bufio.NewScanner(file); scan.Scan(); rows++ {
		var row struct {
			URL     string   `json:"url"`
			Domains []string `json:"domains"`
			Grants  []string `json:"grants"`
			Allow   bool     `json:"allow"`
		}
		if err := json.Unmarshal(scan.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		entries, narrowed := compile(row.Domains, row.Grants)
		u, err := Parse(row.URL)
		e, ok := NewSet(entries).Covers(u)
		if ok && !row.Allow && !respelled(row.URL, e, append(row.Domains, row.Grants...)) {
			t.Errorf("covered, but not by text: %s", scan.Text())
		}
		if !ok && row.Allow && err == nil && !narrowed {
			t.Errorf("not covered for no reason: %s", scan.Text())
		}
	}
	if rows < 500 {
		t.Fatalf("only %d rows", rows)
	}
}

// respelled reports whether a text that the yardstick compared, the URL's or
// that of the entry which covers it, writes its host in other letters than DNS.
func respelled(text string, covering Entry, entries []string) bool {
	other := func(text string) bool {
		u, bad := parse(text, entryGrammar)
		return bad == "" && !strings.Contains(strings.ToLower(text+"/"), u.Host+"/") && !strings.Contains(strings.ToLower(text), u.Host+":")
	}
	for _, text := range entries {
		if e, err := ParseEntry(text); err == nil && e == covering && other(text) {
			return true
		}
	}
	return other(text)
}

// compile reads lists as the service does; narrowed tells whether an entry
// was refused or says more than a host.
func compile(domains, grants []string) (entries []Entry, narrowed bool) {
	add := func(text string, parse func(string) (Entry, error)) {
		e, err := parse(text)
		if err != nil || e.scheme != "" || e.port != 0 || e.path != "" {
			narrowed = true
		}
		if err == nil {
			entries = append(entries, e)
		}
	}
	for _, text := range domains {
		add(text, ParseEntry)
	}
	for _, text := range grants {
		add(text, ParseGrant)
	}
	return entries, narrowed
}

// A slow, plain restatement of what Covers may say yes to.
func TestCoversOnlyTheHostAndBelow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	labels := []string{"a", "b", "ab", "com", "example", "xn--bcher-kva", "1", "x-y", "_", "localhost"}
	schemes := []string{"", "https://", "http://"}
	ports := []string{"", ":443", ":80", ":8443"}
	paths := []string{"", "/", "/a", "/a/b", "/ab", "/a/../b"}
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	name := func() string {
		parts := make([]string, 1+rng.IntN(4))
		for i := range parts {
			parts[i] = pick(labels)
		}
		return strings.Join(parts, ".")
	}
	hits := 0
	for range 50_000 {
		e, err := ParseEntry(pick(schemes) + name() + pick(ports) + pick(paths))
		if err != nil {
			continue
		}
		host := name()
		if rng.IntN(2) == 0 { // near the entry: itself, below it, beside it
			host = pick([]string{"", "a.", "a", "b-"}) + e.Host()
		}
		u, err := Parse("https://" + host + pick(ports) + pick(paths))
		if err != nil {
			continue
		}
		covers, might := e.Covers(u), e.MightCover(u)
		if covers && !might {
			t.Fatalf("%q surely covers %q, yet might not", e, u)
		}
		if might && u.Host != e.Host() && !strings.HasSuffix(u.Host, "."+e.Host()) {
			t.Fatalf("%q covers %q", e, u)
		}
		if _, ok := NewSet([]Entry{e}).Covers(u); ok != covers {
			t.Fatalf("%q on %q: entry says %v, set %v", e, u, covers, ok)
		}
		if covers {
			hits++
		}
	}
	if hits < 1000 {
		t.Fatalf("only %d hits: the property was hardly tried", hits)
	}
}
