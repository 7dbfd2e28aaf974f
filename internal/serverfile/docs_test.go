package serverfile

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The server file in the documentation is one.
func TestTheDocumentedFile(t *testing.T) {
	page, err := os.ReadFile("../../docs/authentication.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(page), "\r\n", "\n")
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(text, -1)
	if len(blocks) == 0 {
		t.Fatal("no example")
	}
	for _, block := range blocks {
		f, err := Parse("authentication.md", []byte(block[1]), []string{"listen", "policy", "tls_cert", "tls_key", "client_ca"})
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if a := f.Auth; a.JWT == nil || len(a.Certificates) != 3 || len(a.Peers) != 1 || len(a.Tokens) != 1 {
			t.Errorf("not all of it: %+v", a)
		}
	}
}
