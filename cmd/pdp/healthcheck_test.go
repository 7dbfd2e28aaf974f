package main

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Over TLS, the certificate in the file is the one that counts.
func TestHealthOverTLS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"status":"ready","policy_revision":"r"}`))
	}))
	defer server.Close()
	dir := t.TempDir()
	file := func(name string, raw []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	right := file("right.pem", server.Certificate().Raw)
	other := file("other.pem", append([]byte{0}, server.Certificate().Raw...))
	empty := filepath.Join(dir, "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	listen := strings.TrimPrefix(server.URL, "https://")
	for _, row := range []struct {
		why  string
		env  map[string]string
		args []string
		code int
	}{
		{"the right one", nil, []string{"--url", server.URL, "--tls-cert", right}, exitOK},
		{"the right one, from the environment", map[string]string{"PDP_LISTEN": listen, "PDP_TLS_CERT": right}, nil, exitOK},
		{"another", nil, []string{"--url", server.URL, "--tls-cert", other}, exitNegative},
		{"none", nil, []string{"--url", server.URL}, exitNegative},
		{"no certificate", nil, []string{"--url", server.URL, "--tls-cert", empty}, exitFailure},
		{"no file", nil, []string{"--url", server.URL, "--tls-cert", filepath.Join(dir, "absent")}, exitFailure},
	} {
		code, out, errs := pdp(t, row.env, "", append([]string{"healthcheck"}, row.args...)...)
		if code != row.code {
			t.Errorf("%s: exit %d, %s%s", row.why, code, out, errs)
		}
	}
}
