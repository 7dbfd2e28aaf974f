package auth

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// SAN is a row of the table of client certificates: a subject alternative name
// that a certificate may carry, and what it stands for. Exactly one of URI, DNS
// and Email is set. Only DNS may begin with "*.", for one label.
type SAN struct {
	URI, DNS, Email string
	Name            string // for people; may be empty
	Role            Role
}

// Certificates says which client certificates have which role. They were
// verified by the server against the operator's authorities before.
type Certificates struct {
	exact map[string]SAN // by "uri:…", "dns:…" and "email:…"
	below map[string]SAN // by what follows "*."
}

// NewCertificates checks the table.
func NewCertificates(rows []SAN) (*Certificates, error) {
	c := &Certificates{exact: map[string]SAN{}, below: map[string]SAN{}}
	for _, row := range rows {
		if err := c.add(row); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *Certificates) add(row SAN) error {
	if row.Role == Nobody {
		return errors.New("a certificate needs a role")
	}
	table, key, err := c.place(row)
	if err != nil {
		return err
	}
	if _, ok := table[key]; ok {
		return fmt.Errorf("%s stands in the table twice", key)
	}
	table[key] = row
	return nil
}

func (c *Certificates) place(row SAN) (table map[string]SAN, key string, err error) {
	switch {
	case row.URI != "" && row.DNS == "" && row.Email == "":
		u, err := url.Parse(row.URI)
		if err != nil || u.Scheme == "" || !isVisible(row.URI) || u.String() != row.URI {
			return nil, "", fmt.Errorf("%q is no URI in its plain form, such as spiffe://example.org/agent", row.URI)
		}
		return c.exact, "uri:" + row.URI, nil
	case row.DNS != "" && row.URI == "" && row.Email == "":
		name := strings.ToLower(row.DNS)
		if parent, ok := strings.CutPrefix(name, "*."); ok && isDNSName(parent) && strings.Contains(parent, ".") {
			return c.below, parent, nil
		}
		if !isDNSName(name) {
			return nil, "", fmt.Errorf("%q is no host name, alone or after *. and then of two labels", row.DNS)
		}
		return c.exact, "dns:" + name, nil
	case row.Email != "" && row.URI == "" && row.DNS == "":
		if !isMailbox(row.Email) {
			return nil, "", fmt.Errorf("%q is no mail address", row.Email)
		}
		return c.exact, "email:" + row.Email, nil
	}
	return nil, "", errors.New("a certificate is named by one of uri, dns and email")
}

// isDNSName admits lower-case names in their plain form. A name with anything
// else in it, such as a NUL or a final dot, names nobody.
func isDNSName(name string) bool {
	if len(name) > 253 {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		for i := range len(label) {
			if c := label[i]; (c < 'a' || 'z' < c) && (c < '0' || '9' < c) && c != '-' && c != '_' {
				return false
			}
		}
	}
	return true
}

func isMailbox(text string) bool {
	local, host, ok := strings.Cut(text, "@")
	return ok && local != "" && isDNSName(host) && isVisible(text) && len(text) <= 254
}

var (
	errNotVerified = errors.New("the client certificate is not verified")
	errOutOfTime   = errors.New("the client certificate has expired")
	errTwoRoles    = errors.New("names of the client certificate stand for different roles")
)

// caller returns whom the connection's certificate names; the zero Caller if it
// is in no row of the table, and if there is none.
func (c *Certificates) caller(state *tls.ConnectionState, now time.Time) (Caller, error) {
	if len(state.PeerCertificates) == 0 {
		return Caller{}, nil
	}
	if len(state.VerifiedChains) == 0 {
		return Caller{}, errNotVerified
	}
	leaf := state.PeerCertificates[0]
	// A connection may outlive the certificate that opened it.
	if now.After(leaf.NotAfter) {
		return Caller{}, errOutOfTime
	}
	var found Caller
	for _, name := range names(leaf) {
		row, ok := c.row(name)
		switch {
		case !ok:
		case found.Role == Nobody:
			found = Caller{ID: "cert:" + name, Name: row.Name, Role: row.Role}
		case found.Role != row.Role:
			return Caller{}, errTwoRoles
		}
	}
	return found, nil
}

func (c *Certificates) row(name string) (SAN, bool) {
	if row, ok := c.exact[name]; ok {
		return row, true
	}
	host, ok := strings.CutPrefix(name, "dns:")
	if !ok || !isDNSName(host) {
		return SAN{}, false
	}
	_, parent, _ := strings.Cut(host, ".")
	row, ok := c.below[parent]
	return row, ok
}

// names returns the subject alternative names in the form of the table. The
// common name is not one of them: anybody's authority may have put anything there.
func names(leaf *x509.Certificate) []string {
	list := make([]string, 0, len(leaf.URIs)+len(leaf.DNSNames)+len(leaf.EmailAddresses))
	for _, u := range leaf.URIs {
		list = append(list, "uri:"+u.String())
	}
	for _, name := range leaf.DNSNames {
		if lower := asciiLower(name); isDNSName(lower) {
			list = append(list, "dns:"+lower)
		}
	}
	for _, name := range leaf.EmailAddresses {
		local, host, _ := strings.Cut(name, "@")
		if mailbox := local + "@" + asciiLower(host); isMailbox(mailbox) {
			list = append(list, "email:"+mailbox)
		}
	}
	return list
}

// asciiLower leaves other letters as they are: they are in no name.
func asciiLower(text string) string {
	lower := []byte(text)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}
