package hostname

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// nodeURL is what Node's URL, a WHATWG parser, makes of a text.
type nodeURL struct {
	Host  string `json:"host"`
	Port  string `json:"port"`
	Path  string `json:"path"`
	Proto string `json:"proto"`
	Error bool   `json:"error"`
}

// asNode reads all texts in one process of Node.
func asNode(t *testing.T, texts []string) []nodeURL {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed, so there is no WHATWG parser to compare with")
	}
	const script = `
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map(text => {
  try {
    const u = new URL(text);
    return {host: u.hostname, port: u.port, path: u.pathname, proto: u.protocol};
  } catch { return {error: true}; }
})));`
	in, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "-e", script)
	cmd.Stdin = bytes.NewReader(in)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var read []nodeURL
	if err := json.Unmarshal(out, &read); err != nil || len(read) != len(texts) {
		t.Fatalf("%d answers to %d texts: %v", len(read), len(texts), err)
	}
	return read
}

// dials is the host that a client connects to: an address, or a name without
// its final dot.
func (n nodeURL) dials() string {
	host := strings.TrimSuffix(strings.Trim(n.Host, "[]"), ".")
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.String()
	}
	return host
}

// TestNodeConnectsWhereWeThink compares every text that is accepted with
// Node's reading of it: a domain list must not vouch for a host that a WHATWG
// parser would not connect to.
func TestNodeConnectsWhereWeThink(t *testing.T) {
	count := 20_000
	if os.Getenv("PDP_NIGHTLY") == "1" {
		count = 500_000
	}
	texts := append(recordedURLs(t), spellings...)
	g := urlGenerator{rand.New(rand.NewPCG(1, 2))}
	for range count {
		texts = append(texts, g.url())
	}
	var accepted []URL
	var asked []string
	for _, text := range texts {
		u, err := Parse(text)
		if err != nil {
			continue
		}
		if !strings.Contains(text, "://") {
			text = "https://" + strings.TrimSpace(text)
		}
		accepted = append(accepted, u)
		asked = append(asked, text, u.String())
	}
	read := asNode(t, asked)
	same := 0
	for i, u := range accepted {
		given, canonical := read[2*i], read[2*i+1]
		if canonical.Error || canonical.dials() != u.Host {
			t.Errorf("%q stands for %q, which Node reads as %+v", asked[2*i], asked[2*i+1], canonical)
		}
		if given.Error {
			continue // what it cannot read it does not fetch
		}
		same++
		if given.dials() != u.Host || given.Port != canonical.Port || given.Proto != u.Scheme+":" {
			t.Errorf("%q has the host %q, which Node reads as %+v", asked[2*i], u.Host, given)
		}
		if e, err := MintDomain(asked[2*i]); err == nil && e.Covers(u) && given.dials() != e.Host() && !below(given.dials(), e.Host()) {
			t.Errorf("%q vouches for %q, which Node reads as %+v", e, asked[2*i], given)
		}
	}
	t.Logf("%d texts, %d accepted, %d read by Node", len(texts), len(accepted), same)
	if same < count/20 {
		t.Errorf("Node reads only %d: the generator is no use", same)
	}
}

// spellings are texts in which two common parsers differ, or nearly.
var spellings = []string{
	"https://python.org./", "https://DOCS.python.org./x", "https://bücher.example/", "https://BÜCHER.example/", "https://xn--bcher-kva.example/",
	"https://bu\u0308cher.example/", "https://faß.example/", "https://FASS.example/", "https://βόλος.example/", "https://a_b.example/", "https://例え.テスト/",
	"https://r3---sn.example/", "http://[::1]/", "http://[::FFFF:1.2.3.4]:8080/", "http://1.2.3.4./", "http://1.2.3.4:80/", "https://a.example:443/", "http://a.example:443/",
	"python.org/x?y#z", "localhost:3000", "https://a.example?x@b.example", "https://a.example#@b.example", "https://a.example/\\b.example", "https://a.example/x:y@z",
	"  https://a.example/  ", "HTTPS://a.example", "https://a.example/é", "https://a.example/%", "https://a.example/a b",
}

// recordedURLs are the texts of the committed rows.
func recordedURLs(t *testing.T) (texts []string) {
	t.Helper()
	file, err := os.Open("testdata/textual.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for scan := bufio.NewScanner(file); scan.Scan(); {
		var row struct {
			URL string `json:"url"`
		}
		if err := json.Unmarshal(scan.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, row.URL)
	}
	return texts
}

// urlGenerator makes URLs of pieces that parsers read differently.
type urlGenerator struct{ *rand.Rand }

func (g urlGenerator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g urlGenerator) url() string {
	text := g.pick("https://", "https://", "https://", "https://", "https://", "http://", "http://", "HTTPS://", "", "https:/", "https:\\\\", "//") +
		g.pick("", "", "", "", "", "", "", "", "", "good.example@", "a:b@") + g.host() +
		g.pick("", "", "", "", "", "", ".", ".", "..", ":443", ":80", ":8443", ":080", ":443@evil.test") +
		g.pick("", "/", "/", "/x", "/é", "/x?y=1#z", "?x", "#x", "\\x", "/..//x", "/@evil.test", "/\\evil.test", "#@evil.test")
	if g.IntN(4) == 0 { // one odd character anywhere
		at := g.IntN(len(text) + 1)
		text = text[:at] + g.pick(odd...) + text[at:]
	}
	return text
}

func (g urlGenerator) host() string {
	switch g.IntN(6) {
	case 0:
		return g.pick("127.0.0.1", "2130706433", "2852039166", "0x7f.1", "0177.0.0.1", "1.2.3", "1.2.3.4", "1.2.3.4.5", "256.1.1.1", "[::1]", "[::ffff:1.2.3.4]",
			"[0:0::1]", "[fe80::1%25eth0]", "[v1.a]", "[::1", "::1]", "1.2.3.0x4", "09.1.1.1")
	}
	var labels []string
	for range 1 + g.IntN(3) {
		labels = append(labels, g.pick("good", "GOOD", "a", "evil", "xn--bcher-kva", "xn--a", "xn--", "bücher", "BÜCHER", "faß", "ςigma", "例え", "ab--c", "-a", "a-", "a_b",
			"1", "0x1", "ｅvil", "K", "ı", "İ", "ﬁ", "①", "ℂ", "א", "אa", "ج\u200d", "a\u00ad", "ʟ", "℀", "㏂", "ꞏ", "ß", "xn--fa-hia", "xn--ls8h", "💩", "xn--xn---epa", "ᏸ", "Ა", "ſ", "ⅷ", "Ⅷ", "ǆ"))
	}
	return strings.Join(labels, g.pick(".", ".", ".", ".", "。", "．", "｡", "%2e")) + g.pick(".example", ".example", ".test", "", ".com", ".例え")
}

var odd = []string{
	"\t", "\n", "\r", " ", "\x00", "\x01", "\x7f", "\u0085", "\u00a0", "\u00ad", "\u200b", "\u200d", "\u202e", "\u2060", "\ufeff", "\u3002", "\uff0f", "\uff20", "\uff1a", "\u2044", "\u2215",
	"@", "\\", "/", "?", "#", ":", "%", "%00", "%2f", "%40", "%5c", "[", "]", "|", "^", "<", ">", "`", "{", "}", "\"", "'", "$", "&", "*", "+", ",", ";", "=", "~", "!", "(", "\u0338", "\u0301", "\U000e0001", "\U0001f600",
}
