package auth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority signs certificates for a test.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t testing.TB, name string) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return authority{cert, key}
}

// issue returns certificate and key in PEM.
func (a authority) issue(t testing.TB, name string) (cert, key []byte) {
	t.Helper()
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, own.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(own)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}

func (a authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

type tlsDir struct{ cert, key, ca string }

func newTLSDir(t testing.TB) tlsDir {
	dir := t.TempDir()
	return tlsDir{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), filepath.Join(dir, "ca.pem")}
}

// write replaces files as an operator would; the clock of the files is set, so
// that a fast test is no two writes at one time.
func write(t testing.TB, at time.Time, files map[string][]byte) {
	t.Helper()
	for path, text := range files {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCertificateFilesThatChange(t *testing.T) {
	ca, d := newAuthority(t, "one"), newTLSDir(t)
	cert, key := ca.issue(t, "a.example")
	now := time.Now()
	write(t, now, map[string][]byte{d.cert: cert, d.key: key})
	var reports []Loaded
	f, err := LoadTLS(d.cert, d.key, "", func(l Loaded) { reports = append(reports, l) })
	if err != nil {
		t.Fatal(err)
	}
	name := func() string {
		now = now.Add(pauseBetweenLooks)
		return f.current(now).Certificates[0].Leaf.DNSNames[0]
	}
	if got := name(); got != "a.example" || len(reports) != 0 {
		t.Errorf("at first: %s, %v", got, reports)
	}
	cert2, key2 := ca.issue(t, "b.example")
	write(t, now.Add(1), map[string][]byte{d.cert: cert2})
	if got := name(); got != "a.example" || len(reports) != 1 || reports[0].Err == nil {
		t.Errorf("half of a pair: %s, %v", got, reports)
	}
	if got := name(); got != "a.example" || len(reports) != 1 {
		t.Errorf("reported again: %s, %v", got, reports)
	}
	write(t, now.Add(2), map[string][]byte{d.key: key2})
	if got := name(); got != "b.example" || len(reports) != 2 || reports[1].Err != nil {
		t.Errorf("the whole pair: %s, %v", got, reports)
	}
	if err := os.Remove(d.key); err != nil {
		t.Fatal(err)
	}
	if got := name(); got != "b.example" || len(reports) != 3 || reports[2].Err == nil {
		t.Errorf("a key that is gone: %s, %v", got, reports)
	}
	write(t, now.Add(3), map[string][]byte{d.cert: cert, d.key: key})
	f.checked.Store(now.UnixNano())
	if f.current(now.Add(pauseBetweenLooks - 1)).Certificates[0].Leaf.DNSNames[0] != "b.example" {
		t.Error("looked at again too soon")
	}
}

func TestTLSFilesThatMakeNoSense(t *testing.T) {
	ca, d := newAuthority(t, "one"), newTLSDir(t)
	cert, key := ca.issue(t, "a.example")
	_, otherKey := ca.issue(t, "a.example")
	for why, files := range map[string]map[string][]byte{
		"no key":             {d.cert: cert},
		"another's key":      {d.cert: cert, d.key: otherKey},
		"no certificate":     {d.key: key},
		"authorities of air": {d.cert: cert, d.key: key, d.ca: []byte("no PEM")},
		"empty files":        {d.cert: nil, d.key: nil},
	} {
		for _, path := range []string{d.cert, d.key, d.ca} {
			_ = os.Remove(path)
		}
		write(t, time.Now(), files)
		if _, err := LoadTLS(d.cert, d.key, d.ca, func(Loaded) {}); err == nil {
			t.Errorf("%s is accepted", why)
		}
	}
}

// A real handshake: old TLS and foreign certificates are refused, HTTP/2 is spoken.
func TestHandshakes(t *testing.T) {
	ca, foreign, d := newAuthority(t, "one"), newAuthority(t, "one"), newTLSDir(t)
	cert, key := ca.issue(t, "a.example")
	write(t, time.Now(), map[string][]byte{d.cert: cert, d.key: key, d.ca: ca.pem()})
	f, err := LoadTLS(d.cert, d.key, d.ca, func(Loaded) {})
	if err != nil {
		t.Fatal(err)
	}
	a := &Authenticator{Certificates: table(t, SAN{DNS: "agent.example", Role: Runtime})}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, err := a.Caller(r)
		if err != nil {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = io.WriteString(w, r.Proto+" "+caller.ID)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Config.TLSConfig = f.Config()
	listener := server.Listener
	go func() { _ = server.Config.ServeTLS(listener, "", "") }()
	defer server.Config.Close()

	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	pair := func(a authority, name string) []tls.Certificate {
		cert, key := a.issue(t, name)
		p, err := tls.X509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		return []tls.Certificate{p}
	}
	for _, row := range []struct {
		why  string
		tls  *tls.Config
		want string // "" if there is no answer
	}{
		{"no certificate", &tls.Config{}, "HTTP/2.0 "},
		{"one of the table", &tls.Config{Certificates: pair(ca, "agent.example")}, "HTTP/2.0 cert:dns:agent.example"},
		{"one of nobody", &tls.Config{Certificates: pair(ca, "other.example")}, "HTTP/2.0 "},
		{"one of another authority", &tls.Config{GetClientCertificate: always(pair(foreign, "agent.example"))}, ""},
		{"TLS 1.2", &tls.Config{MaxVersion: tls.VersionTLS12}, "HTTP/2.0 "},
		{"TLS 1.1", &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, ""},
	} {
		row.tls.RootCAs, row.tls.ServerName = pool, "a.example"
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: row.tls, ForceAttemptHTTP2: true}}
		res, err := client.Get("https://" + listener.Addr().String())
		got := ""
		if err == nil {
			body, _ := io.ReadAll(res.Body)
			_ = res.Body.Close()
			got = string(body)
		}
		client.CloseIdleConnections()
		if got != row.want {
			t.Errorf("%s: %q, %v", row.why, got, err)
		}
	}
}

// always shows a certificate that the server did not ask for.
func always(certs []tls.Certificate) func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	return func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &certs[0], nil }
}
