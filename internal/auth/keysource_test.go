package auth

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestKeyAddresses(t *testing.T) {
	for _, row := range []struct {
		address string
		ok      bool
	}{
		{"https://id.example/keys", true},
		{"http://127.0.0.1:8000/keys", true},
		{"http://[::1]/keys", true},
		{"http://localhost/keys", false},
		{"http://id.example/keys", false},
		{"http://127.0.0.1.evil.example/keys", false},
		{"http://10.0.0.1/keys", false},
		{"https://user:secret@id.example/keys", false},
		{"https://", false},
		{"file:///etc/passwd", false},
		{"ftp://id.example", false},
		{"/keys", false},
		{"", false},
		{"https://id.example/%zz", false},
	} {
		_, err := URLKeys(row.address)
		if (err == nil) != row.ok {
			t.Errorf("%s: %v", row.address, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error has the password: %v", err)
		}
	}
}

func TestFetchedKeys(t *testing.T) {
	good := string(issuerKeys())
	mux := http.NewServeMux()
	answer := func(path string, status int, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		})
	}
	redirect := func(path, to string) { mux.Handle(path, http.RedirectHandler(to, http.StatusFound)) }
	answer("/keys", 200, good)
	answer("/missing", 404, good)
	answer("/huge", 200, good+strings.Repeat(" ", mostKeyBytes))
	redirect("/moved", "/keys")
	redirect("/loop", "/loop")
	redirect("/away", "http://192.0.2.1/keys")
	redirect("/file", "file:///etc/passwd")
	server := httptest.NewServer(mux)
	defer server.Close()
	for path, ok := range map[string]bool{
		"/keys": true, "/moved": true, "/missing": false, "/huge": false, "/loop": false, "/away": false, "/file": false,
	} {
		source, err := URLKeys(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := source(t.Context())
		if (err == nil) != ok || ok && string(text) != good {
			t.Errorf("%s: %d bytes, %v", path, len(text), err)
		}
	}
}

func TestKeyFiles(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "keys.json")
	if err := os.WriteFile(good, issuerKeys(), 0o644); err != nil {
		t.Fatal(err)
	}
	huge := filepath.Join(dir, "huge.json")
	if err := os.WriteFile(huge, make([]byte, mostKeyBytes+1), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, ok := range map[string]bool{good: true, huge: false, dir: false, filepath.Join(dir, "none"): false} {
		if text, err := FileKeys(path)(t.Context()); (err == nil) != ok {
			t.Errorf("%s: %d bytes, %v", path, len(text), err)
		}
	}
}
