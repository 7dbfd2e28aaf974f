package auth

import (
	"crypto/tls"
	"crypto/x509"
	"net/url"
	"testing"
	"time"
)

func table(t testing.TB, rows ...SAN) *Certificates {
	t.Helper()
	c, err := NewCertificates(rows)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// verifiedBy is a connection whose client certificate has these names.
func verifiedBy(leaf *x509.Certificate) *tls.ConnectionState {
	if leaf.NotAfter.IsZero() {
		leaf.NotAfter = noon.Add(time.Hour)
	}
	return &tls.ConnectionState{
		PeerCertificates: []*x509.Certificate{leaf},
		VerifiedChains:   [][]*x509.Certificate{{leaf}},
	}
}

func dns(names ...string) *x509.Certificate   { return &x509.Certificate{DNSNames: names} }
func email(names ...string) *x509.Certificate { return &x509.Certificate{EmailAddresses: names} }

func uri(texts ...string) *x509.Certificate {
	leaf := &x509.Certificate{}
	for _, text := range texts {
		u, err := url.Parse(text)
		if err != nil {
			panic(err)
		}
		leaf.URIs = append(leaf.URIs, u)
	}
	return leaf
}

func TestCertificateNames(t *testing.T) {
	c := table(t,
		SAN{DNS: "gate.example", Role: Approver, Name: "gate"},
		SAN{DNS: "*.agents.example", Role: Runtime},
		SAN{DNS: "special.agents.example", Role: Viewer},
		SAN{URI: "spiffe://example/agent", Role: Runtime},
		SAN{Email: "Auditor@example.org", Role: Viewer},
	)
	for _, row := range []struct {
		why  string
		leaf *x509.Certificate
		id   string // "" if it names nobody
		role Role
	}{
		{"a name of the table", dns("gate.example"), "cert:dns:gate.example", Approver},
		{"upper case is the same host", dns("GATE.Example"), "cert:dns:gate.example", Approver},
		{"a final dot", dns("gate.example."), "", Nobody},
		{"a NUL and more", dns("gate.example\x00.evil.example"), "", Nobody},
		{"a NUL at the end", dns("gate.example\x00"), "", Nobody},
		{"a space", dns("gate.example "), "", Nobody},
		{"a letter that folds to k in Unicode", dns("gate.example\u212a"), "", Nobody},
		{"more before it", dns("x.gate.example"), "", Nobody},
		{"more before it, without a dot", dns("xgate.example"), "", Nobody},
		{"more after it", dns("gate.example.evil.example"), "", Nobody},
		{"one label for the star", dns("a1.agents.example"), "cert:dns:a1.agents.example", Runtime},
		{"no label for the star", dns("agents.example"), "", Nobody},
		{"two labels for the star", dns("a.b.agents.example"), "", Nobody},
		{"an empty label for the star", dns(".agents.example"), "", Nobody},
		{"a star for the star", dns("*.agents.example"), "", Nobody},
		{"an exact row before a star", dns("special.agents.example"), "cert:dns:special.agents.example", Viewer},
		{"a URI", uri("spiffe://example/agent"), "cert:uri:spiffe://example/agent", Runtime},
		{"another path", uri("spiffe://example/agent/"), "", Nobody},
		{"another case of the path", uri("spiffe://example/Agent"), "", Nobody},
		{"a URI with a query", uri("spiffe://example/agent?x"), "", Nobody},
		{"a URI with a user", uri("spiffe://x@example/agent"), "", Nobody},
		{"an escaped letter", uri("spiffe://example/%61gent"), "", Nobody},
		{"a mail address", email("Auditor@EXAMPLE.org"), "cert:email:Auditor@example.org", Viewer},
		{"another case of the mailbox", email("auditor@example.org"), "", Nobody},
		{"a mail address with a NUL", email("Auditor@example.org\x00"), "", Nobody},
		{"a mail address that is a host name", dns("Auditor@example.org"), "", Nobody},
		{"a host name that is a mail address", email("gate.example"), "", Nobody},
		{"a common name", commonName("gate.example"), "", Nobody},
		{"no names", &x509.Certificate{}, "", Nobody},
		{"a name of the table among others", dns("x.example", "gate.example"), "cert:dns:gate.example", Approver},
		{"two names of one role", dns("a1.agents.example", "a2.agents.example"), "cert:dns:a1.agents.example", Runtime},
	} {
		caller, err := c.caller(verifiedBy(row.leaf), noon)
		if err != nil || caller.ID != row.id || caller.Role != row.role {
			t.Errorf("%s: %+v, %v", row.why, caller, err)
		}
	}
	if caller, _ := c.caller(verifiedBy(dns("gate.example")), noon); caller.Name != "gate" {
		t.Errorf("got %+v", caller)
	}
	if caller, err := c.caller(verifiedBy(dns("gate.example", "a1.agents.example")), noon); err == nil {
		t.Errorf("two names of different roles: %+v", caller)
	}
}

func commonName(name string) *x509.Certificate {
	leaf := &x509.Certificate{}
	leaf.Subject.CommonName = name
	return leaf
}

func TestCertificatesOfTheConnection(t *testing.T) {
	c := table(t, SAN{DNS: "gate.example", Role: Admin})
	if caller, err := c.caller(&tls.ConnectionState{}, noon); err != nil || caller != (Caller{}) {
		t.Errorf("no certificate: %+v, %v", caller, err)
	}
	state := verifiedBy(dns("gate.example"))
	state.VerifiedChains = nil
	if caller, err := c.caller(state, noon); err == nil {
		t.Errorf("a certificate that was not verified: %+v", caller)
	}
	leaf := dns("gate.example")
	leaf.NotAfter = noon
	if _, err := c.caller(verifiedBy(leaf), noon); err != nil {
		t.Errorf("in its last second: %v", err)
	}
	if caller, err := c.caller(verifiedBy(leaf), noon.Add(time.Second)); err == nil {
		t.Errorf("expired since the connection began: %+v", caller)
	}
}

func TestCertificateTables(t *testing.T) {
	for why, rows := range map[string][]SAN{
		"no role":                {{DNS: "a.example"}},
		"no name":                {{Role: Runtime}},
		"two names":              {{DNS: "a.example", URI: "spiffe://a", Role: Runtime}},
		"twice":                  {{DNS: "a.example", Role: Runtime}, {DNS: "A.example", Role: Admin}},
		"a star twice":           {{DNS: "*.a.example", Role: Runtime}, {DNS: "*.a.example", Role: Admin}},
		"a star alone":           {{DNS: "*", Role: Runtime}},
		"a star and one label":   {{DNS: "*.example", Role: Runtime}},
		"a star in the middle":   {{DNS: "a.*.example", Role: Runtime}},
		"two stars":              {{DNS: "*.*.example", Role: Runtime}},
		"a part of a label":      {{DNS: "a*.example.org", Role: Runtime}},
		"a final dot":            {{DNS: "a.example.", Role: Runtime}},
		"a space":                {{DNS: "a. example", Role: Runtime}},
		"a URI without a scheme": {{URI: "example/agent", Role: Runtime}},
		"a URI in another form":  {{URI: "SPIFFE://example/agent", Role: Runtime}},
		"a mailbox alone":        {{Email: "auditor", Role: Runtime}},
		"a mail host in capital": {{Email: "a@Example.org", Role: Runtime}},
	} {
		if _, err := NewCertificates(rows); err == nil {
			t.Errorf("%s is accepted", why)
		}
	}
}

// A certificate that names a caller and a token are two credentials; one that
// names nobody secures the connection only.
func TestTokenAndCertificate(t *testing.T) {
	a, secret := tokenFor(t, Runtime)
	a.Certificates = table(t, SAN{DNS: "gate.example", Role: Approver})
	later := func(leaf *x509.Certificate) *tls.ConnectionState {
		leaf.NotAfter = time.Now().Add(time.Hour)
		return verifiedBy(leaf)
	}
	unverified := later(dns("gate.example"))
	unverified.VerifiedChains = nil
	for _, row := range []struct {
		why   string
		state *tls.ConnectionState
		token string
		role  Role
		ok    bool
	}{
		{"the certificate alone", later(dns("gate.example")), "", Approver, true},
		{"both", later(dns("gate.example")), secret, Nobody, false},
		{"the certificate and a wrong token", later(dns("gate.example")), "nonsense-nonsense-nonsense", Nobody, false},
		{"a certificate of nobody and a token", later(dns("mesh.example")), secret, Runtime, true},
		{"a certificate of nobody", later(dns("mesh.example")), "", Nobody, true},
		{"one that was not verified, and a token", unverified, secret, Nobody, false},
		{"one that was not verified", unverified, "", Nobody, false},
		{"neither", &tls.ConnectionState{}, "", Nobody, true},
	} {
		r := request(client)
		if row.token != "" {
			r.Header.Set("Authorization", "Bearer "+row.token)
		}
		r.TLS = row.state
		caller, err := a.Caller(r)
		if (err == nil) != row.ok || caller.Role != row.role {
			t.Errorf("%s: %+v, %v", row.why, caller, err)
		}
	}
}
