package hostname

import (
	"math/rand/v2"
	"net/netip"
	"os"
	"strings"
	"testing"
)

func TestReach(t *testing.T) {
	for _, row := range []struct {
		text string
		want Address
	}{
		{"http://2852039166/", Metadata},
		{"http://0xa9fea9fe/", Metadata},
		{"http://0xA9.0xFE.0xA9.0xFE:80/", Metadata},
		{"http://0251.0376.0251.0376/", Metadata},
		{"http://0169.0254.0169.0254/", Metadata}, // read as decimal
		{"http://169.254.43518/", Metadata},
		{"http://7147006462/", Metadata}, // 2^32 too much
		{"http://①⑥⑨.254.169.254/", Metadata},
		{"http://１６９.254.169.254/", Metadata},
		{"http://169。254。169．254/", Metadata},
		{"http://169.254.169.254%2f/", Public},
		{"http://%31%36%39.254.169.254/", Metadata},
		{"http://a@169.254.169.254/", Metadata},
		{"http://a@169.254.169.254@b/", Metadata},
		{"http://169.254.169.254@b/", Public},
		{`http://169.254.169.254\@b/`, Metadata},
		{`http:\\169.254.169.254\`, Metadata},
		{"http:169.254.169.254", Metadata},
		{"http:///169.254.169.254/", Metadata},
		{"//169.254.169.254/x", Metadata},
		{"ht\ttp://169.254.\n169.254/", Metadata},
		{"ftp://169.254.169.254/", Metadata},
		{"http://[::ffff:169.254.169.254%25eth0]/", Metadata},
		{"http://[fd00:ec2::254/", Metadata},
		{"http://METAdata.google.internal../", Metadata},
		{"http://met\u00adadata/", Metadata},
		{"2852039166", Metadata},
		{"http://0x7f.1/", Loopback},
		{"http://0/", Unspecified},
		{"::1", Loopback},
		{"http://::1/", Loopback},
		{"http://ⓛocalhost:80/", Loopback},
		{"http://a:b@10.1/", Private},
		{"http://8.8.8.8.8/", Public},
		{"http://134744072/", Public},
		{"javascript:alert(1)", Public},
		{"python.org:99999/x", Public},
		{"", Public},
		{"@@@@@@@@@@@@@@@@10.0.0.1", Private},
		{strings.Repeat("a", maxText+1), Public},
	} {
		if got := Reach(row.text); got != row.want {
			t.Errorf("%q: got %s, want %s", row.text, got, row.want)
		}
	}
}

func TestNamesThatSpellAddresses(t *testing.T) {
	for host, want := range map[string]Address{
		"169.254.169.254.nip.io":               Metadata,
		"app.10.0.0.1.sslip.io":                Private,
		"10-0-0-1.example.com":                 Private,
		"ip-10-0-0-1.ec2.internal":             Private,
		"magic-127-0-0-1.nip.io":               Loopback,
		"7f000001.nip.io":                      Loopback,
		"x.localtest.me":                       Loopback,
		"ec2-54-1-2-3.compute.amazonaws.com":   Public,
		"8-8-8-8.nip.io":                       Public,
		"08080808.nip.io":                      Public,
		"7f000001.example.com":                 Public,
		"release-1-2-3-4.example.com":          Public,
		"v192-0-2-1.example.com":               Public, // no group is a number
		"a-b-c-d.example.com":                  Public,
		"1.2.3.example.com":                    Public,
		"2026-12-02-build.example.com":         Public,
		"deadbeef.example.com":                 Public,
		"r3---sn-4g5e6nsz.googlevideo.example": Public,
	} {
		u, err := Parse("https://" + host + "/")
		if err != nil {
			t.Errorf("%s: %v", host, err)
		} else if got := u.Address(); got != want {
			t.Errorf("%s: got %s, want %s", host, got, want)
		}
	}
}

// TestReachSeesWhatNodeDials compares texts that Parse refuses with Node's reading
// of them: where Node would connect to a private address, Reach says so.
func TestReachSeesWhatNodeDials(t *testing.T) {
	count := 20_000
	if os.Getenv("PDP_NIGHTLY") == "1" {
		count = 500_000
	}
	g := urlGenerator{rand.New(rand.NewPCG(3, 4))}
	var texts []string
	for len(texts) < count {
		text := g.url()
		if _, err := Parse(text); err != nil {
			texts = append(texts, text)
		}
	}
	private := 0
	for i, n := range asNode(t, texts) {
		addr, err := netip.ParseAddr(n.dials())
		if n.Error || err != nil || classify(addr) == Public {
			continue
		}
		private++
		if want, got := classify(addr), Reach(texts[i]); got == Public || want == Metadata && got != Metadata {
			t.Errorf("%q: got %s, but Node would connect to %s (%s)", texts[i], got, addr, want)
		}
	}
	t.Logf("%d texts, of which Node takes %d to a private address", len(texts), private)
	if private < count/100 {
		t.Error("the generator is no use")
	}
}
