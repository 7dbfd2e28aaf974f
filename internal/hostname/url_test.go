package hostname

import (
	"errors"
	"strings"
	"testing"
)

func mustParse(t testing.TB, text string) URL {
	t.Helper()
	u, err := Parse(text)
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return u
}

func kindOf(t testing.TB, err error) Kind {
	t.Helper()
	var invalid InvalidError
	if err != nil && !errors.As(err, &invalid) {
		t.Fatalf("error %v is no InvalidError", err)
	}
	return invalid.Kind
}

func TestParseAccepts(t *testing.T) {
	for _, row := range []struct{ text, canonical, host string }{
		{"https://python.org", "https://python.org/", "python.org"},
		{"https://docs.python.org/3/", "https://docs.python.org/3/", "docs.python.org"},
		{"HTTPS://DOCS.Python.ORG/A", "https://docs.python.org/A", "docs.python.org"},
		{"hTTp://python.org/", "http://python.org/", "python.org"},
		{"  https://python.org/\n", "https://python.org/", "python.org"},
		{"\u00a0https://python.org\u3000", "https://python.org/", "python.org"},

		// One trailing dot is the same DNS name.
		{"https://DOCS.python.org./x", "https://docs.python.org/x", "docs.python.org"},
		{"https://python.org.:8443/", "https://python.org:8443/", "python.org"},
		{"https://127.0.0.1./", "https://127.0.0.1/", "127.0.0.1"},

		// What stands after the host is kept as given, except the fragment.
		{"https://good.example/page.", "https://good.example/page.", "good.example"},
		{"https://a.example/%7Eme/%zz?q=%20&u=http://x@y\\z", "https://a.example/%7Eme/%zz?q=%20&u=http://x@y\\z", "a.example"},
		{"https://a.example?q=1", "https://a.example/?q=1", "a.example"},
		{"https://a.example/?", "https://a.example/?", "a.example"},
		{"https://a.example#@evil.test", "https://a.example/", "a.example"},
		{"https://a.example/x#y?z", "https://a.example/x", "a.example"},
		{"https://a.example/a\\b", "https://a.example/a\\b", "a.example"},
		{"https://a.example//x", "https://a.example//x", "a.example"},
		{"https://evil.test/?u=.good.example", "https://evil.test/?u=.good.example", "evil.test"},

		// Ports: the default one is no port.
		{"https://a.example:443/", "https://a.example/", "a.example"},
		{"http://a.example:80/", "http://a.example/", "a.example"},
		{"http://a.example:443/", "http://a.example:443/", "a.example"},
		{"https://a.example:65535", "https://a.example:65535/", "a.example"},

		// Names that exist although strict grammars refuse them.
		{"https://r3---sn-abc.googlevideo.com/", "https://r3---sn-abc.googlevideo.com/", "r3---sn-abc.googlevideo.com"},
		{"https://_dmarc.a_b.example/", "https://_dmarc.a_b.example/", "_dmarc.a_b.example"},
		{"http://localhost:3000/x", "http://localhost:3000/x", "localhost"},
		{"http://wiki/", "http://wiki/", "wiki"},
		{"https://1password.com/", "https://1password.com/", "1password.com"},
		{"https://1.2.3.4.example/", "https://1.2.3.4.example/", "1.2.3.4.example"},

		// Addresses in their canonical form.
		{"http://127.0.0.1:8080/", "http://127.0.0.1:8080/", "127.0.0.1"},
		{"http://[::1]:8080/x", "http://[::1]:8080/x", "::1"},
		{"http://[2001:DB8::A]/", "http://[2001:db8::a]/", "2001:db8::a"},
		{"http://[0:0:0:0:0:0:0:1]/", "http://[::1]/", "::1"},
		{"http://[::ffff:7f00:1]/", "http://[::ffff:127.0.0.1]/", "::ffff:127.0.0.1"},

		// International names become A-labels.
		{"https://bücher.example/", "https://xn--bcher-kva.example/", "xn--bcher-kva.example"},
		{"https://BÜCHER.example/", "https://xn--bcher-kva.example/", "xn--bcher-kva.example"},
		{"https://bu\u0308cher.example/", "https://xn--bcher-kva.example/", "xn--bcher-kva.example"},
		{"https://XN--BCHER-KVA.example/", "https://xn--bcher-kva.example/", "xn--bcher-kva.example"},
		{"https://straße.example/", "https://xn--strae-oqa.example/", "xn--strae-oqa.example"},
		{"https://日本語.jp/é", "https://xn--wgv71a119e.jp/é", "xn--wgv71a119e.jp"},
		{"https://pythοn.org/", "https://xn--pythn-uce.org/", "xn--pythn-uce.org"},

		// Without a scheme, only what is plainly a host.
		{"python.org", "https://python.org/", "python.org"},
		{"docs.python.org/x?y#z", "https://docs.python.org/x?y", "docs.python.org"},
		{"python.org:443", "https://python.org/", "python.org"},
		{"python.org?q", "https://python.org/?q", "python.org"},
		{"localhost:3000", "https://localhost:3000/", "localhost"},
		{"127.0.0.1:80/x", "https://127.0.0.1:80/x", "127.0.0.1"},
		{"bücher.example", "https://xn--bcher-kva.example/", "xn--bcher-kva.example"},
	} {
		u, err := Parse(row.text)
		if err != nil {
			t.Errorf("%q: %v", row.text, err)
			continue
		}
		if u.String() != row.canonical || u.Host != row.host {
			t.Errorf("%q: got %q on host %q, want %q on host %q", row.text, u, u.Host, row.canonical, row.host)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	label64 := strings.Repeat("a", 64)
	for _, row := range []struct {
		text string
		kind Kind
	}{
		{"", KindEmpty},
		{" \t\u00a0", KindEmpty},
		{"https://a.example/" + strings.Repeat("x", 8192), KindTooLong},
		{"https://" + label64 + ".example/", KindTooLong},
		{"https://" + strings.Repeat("abcdefg.", 32) + "example/", KindTooLong},
		{"https://" + strings.Repeat("ü", 1000) + "/", KindTooLong},
		{"https://a.example/\xff", KindEncoding},
		{"https://a\xc0\xaeexample/", KindEncoding},

		// What parsers delete or encode.
		{"https://go\tod.example/", KindControl},
		{"ht\ttps://good.example/", KindControl},
		{"https://python.org\r\n/", KindControl},
		{"\x01https://python.org", KindControl},
		{"\x00 https://python.org", KindControl},
		{"\x1chttps://python.org", KindControl},
		{"https://python.org/\x00", KindControl},
		{"https://python.org/\u0085x", KindControl},
		{"https://python.org/\x7f", KindControl},
		{"https://python.org/#a\tb", KindControl},
		{"https://python.org/a b", KindBlank},
		{"https:// python.org/", KindBlank},
		{"https://python.org /", KindBlank},
		{"https://python.org/\u2028x", KindBlank},
		{"https://python\u3000.org/", KindBlank},

		// Other schemes, no scheme, half a scheme.
		{"javascript://python.org/%0aalert(1)", KindScheme},
		{"javascript:alert(1)", KindScheme},
		{"ftp://python.org:2121/", KindScheme},
		{"file://good.example/etc/passwd", KindScheme},
		{"FILE:////files.evil.test/share", KindScheme},
		{"ws://python.org/", KindScheme},
		{"x://python.org", KindScheme},
		{"://python.org", KindScheme},
		{"httpſ://python.org", KindScheme},
		{"//host.example/x", KindScheme},
		{"/evil.com/.python.org", KindScheme},
		{":80/.python.org", KindScheme},
		{"?x", KindScheme},
		{"#x", KindScheme},
		{"data:text/html,x", KindScheme},
		{"https:python.org", KindScheme},
		{"https:/python.org", KindScheme},
		{"view-source:https://python.org", KindScheme},
		{"evil.com/?u=http://python.org", KindScheme},
		{"python.org/a://b", KindScheme},
		{"python.org://evil.com", KindScheme},
		{"wiki", KindScheme},
		{"wiki/x", KindScheme},
		{"[::1]", KindScheme},
		{"_x.python.org", KindScheme},

		// The host is elsewhere.
		{"https://good.example:443@evil.test/", KindUserinfo},
		{"https://python.org@evil.example/", KindUserinfo},
		{"https://evil.com@python.org/", KindUserinfo},
		{"https://@python.org/", KindUserinfo},
		{"https://user:p@docs.python.org:1/x?y#z", KindUserinfo},
		{"a@python.org", KindUserinfo},
		{"mailto:a@python.org", KindUserinfo},
		{`https://evil.com\@python.org/`, KindBackslash},
		{`https://evil.test\.good.example/`, KindBackslash},
		{`https:\\python.org/`, KindBackslash},
		{`https://\python.org/`, KindBackslash},
		{`\\python.org\x`, KindBackslash},
		{`python.org\x`, KindBackslash},

		// No host, or none that DNS knows.
		{"https://", KindNoHost},
		{"https:///good.example/x", KindNoHost},
		{"https://:80", KindNoHost},
		{"https://?x", KindNoHost},
		{"https://#x", KindNoHost},
		{"https://./", KindEmptyLabel},
		{"https://.good.example/", KindEmptyLabel},
		{"https://a..python.org", KindEmptyLabel},
		{"https://good.example../", KindEmptyLabel},
		{"https://g%6Fod.example/", KindPercentEncoded},
		{"https://python.org%2eevil.com/", KindPercentEncoded},
		{"https://python.org%00.evil.com/", KindPercentEncoded},
		{"https://*.python.org", KindHostCharacter},
		{"*.python.org", KindHostCharacter},
		{"https://python.org;evil.com", KindHostCharacter},
		{"https://python.org,evil.com/", KindHostCharacter},
		{"https://$(id).python.org/", KindHostCharacter},
		{"https://good.example]/", KindHostCharacter},
		{"https://]x/", KindHostCharacter},
		{"https://a.[::1]/", KindHostCharacter},
		{"https://-o.python.org/", KindHostCharacter},
		{"https://a-.python.org/", KindHostCharacter},
		{"https://ü!.python.org/", KindHostCharacter},

		// Numbers that programs dial.
		{"http://2130706433/", KindIPForm},
		{"http://2852039166/latest/meta-data/", KindIPForm},
		{"http://0x7f000001/", KindIPForm},
		{"http://0X7F.1/", KindIPForm},
		{"http://127.0x0.0.0x1/", KindIPForm},
		{"http://127.1/", KindIPForm},
		{"http://0177.0.0.1/", KindIPForm},
		{"http://127.0.0.01/", KindIPForm},
		{"http://127.0.0.256/", KindIPForm},
		{"http://1.2.3.4.5/", KindIPForm},
		{"http://a.1/", KindIPForm},
		{"http://0/", KindIPForm},
		{"http://0x/", KindIPForm},
		{"127.1/x", KindIPForm},
		{"https://[bad/", KindIPv6},
		{"https://[::1/", KindIPv6},
		{"https://[]/", KindIPv6},
		{"https://[good.example]/", KindIPv6},
		{"https://[v1.fe]/", KindIPv6},
		{"https://[1.2.3.4]/", KindIPv6},
		{"https://[fe80::1%25eth0]/", KindIPv6},
		{"https://[fe80::1%eth0]/", KindIPv6},
		{"https://[::1].python.org/", KindIPv6},
		{"https://[::1]80/", KindIPv6},

		// Ports.
		{"https://python.org:/", KindPort},
		{"https://python.org:abc/", KindPort},
		{"https://python.org:0/", KindPort},
		{"https://python.org:080/", KindPort},
		{"https://python.org:65536/", KindPort},
		{"https://python.org:+80/", KindPort},
		{"https://python.org:8_0/", KindPort},
		{"https://python.org:80:90/", KindPort},
		{"https://[::1]:x/", KindPort},
		{"python.org:99999/x", KindPort},

		// Characters that the IDNA mapping turns into others, or drops.
		{"https://good\u3002example/", KindIDN},
		{"https://good\uff0eexample/", KindIDN},
		{"https://good\uff61example/", KindIDN},
		{"https://ｐython.org/", KindIDN},
		{"https://ÿ.ｐython.org/", KindIDN},
		{"https://１２７.0.0.1/", KindIDN},
		{"https://①.example/", KindIDN},
		{"https://\u212aelvin.com/", KindIDN},
		{"https://\u212aü.com/", KindIDN},
		{"https://ſoo.com/", KindIDN},
		{"https://İ.com/", KindIDN},
		{"https://a℀b.com", KindIDN},
		{"https://evil.com／.python.org/", KindIDN},
		{"https://evil.com＠python.org/", KindIDN},
		{"https://evil.com：80/", KindIDN},
		{"https://a≠b.example/", KindIDN},
		{"https://ﬁ.example/", KindIDN},
		{"https://㈱.example/", KindIDN},
		{"https://STRAẞE.example/", KindIDN},
		{"https://xn--python-.org/", KindIDN},
		{"https://xn--.org/", KindIDN},
		{"https://xn--a.example/", KindIDN},
		{"https://xn--\u00fc.example/", KindIDN},
		{"https://אa.example/", KindIDN},
		{"https://\u0308a.example/", KindIDN},
		{"https://python.org\u2215evil.com", KindIDN},
		{"https://python.org╱evil.com/", KindIDN},
		{"https://python.org⁄evil.com/", KindIDN},
		{"https://python.org‧evil.com/", KindIDN},
		{"https://python.org꞉80/", KindIDN},
		{"https://i❤.example/", KindIDN},
		{"https://goo\u00add.example/", KindInvisible},
		{"https://goo\u200bd.example/", KindInvisible},
		{"https://goo\u200dd.example/", KindInvisible},
		{"https://goo\u2060d.example/", KindInvisible},
		{"https://goo\ufe0fd.example/", KindInvisible},
		{"https://goo\U000e0061d.example/", KindInvisible},
		{"https://\u202egro.nohtyp/", KindInvisible},
		{"https://goo\u034fd.example/", KindInvisible},
		{"https://\ufeffgood.example/", KindInvisible},
	} {
		u, err := Parse(row.text)
		if kindOf(t, err) != row.kind {
			t.Errorf("%q: got kind %q (%q), want %q", row.text, kindOf(t, err), u, row.kind)
		}
	}
}

func TestErrorsAreOnePlainSentence(t *testing.T) {
	_, err := Parse("ftp://" + strings.Repeat("é", 300) + "\n.example")
	if text := err.Error(); len(text) > 400 || strings.ContainsAny(text, "\n") || !strings.Contains(text, "…") {
		t.Errorf("error is not cut and quoted: %s", text)
	}
	for kind := range sentences {
		if text := (InvalidError{kind, "x"}).Error(); !strings.HasPrefix(text, `"x" `) || strings.HasSuffix(text, ".") {
			t.Errorf("%s: %s", kind, text)
		}
	}
	if text := (InvalidError{}).Error(); text != `"" is not usable` {
		t.Errorf("zero error: %s", text)
	}
}

func TestPlainURLNeedsNoMemory(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { _, _ = Parse("https://docs.python.org/3/library/os.html?x=1") }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func BenchmarkParse(b *testing.B) {
	for _, row := range []struct{ name, text string }{
		{"plain", "https://docs.python.org/3/library/os.html"},
		{"upper", "HTTPS://Docs.Python.org/3/library/os.html"},
		{"idn", "https://bücher.example/"},
		{"refused", "https://evil.com@python.org/"},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = Parse(row.text)
			}
		})
	}
}
