package hostname

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/agent-pdp/pdp/internal/suffix"
)

// Entry is one line of a domain list: a host with its subdomains, perhaps
// restricted to a scheme, a port and a path. It is a comparable value. The
// zero Entry matches nothing.
type Entry struct {
	host   string
	addr   netip.Addr // valid if the entry is an IP address
	exact  bool       // subdomains are not covered
	scheme string     // "" is any
	port   uint16     // 0 is any, or the default one when a scheme is set
	path   string     // prefix without final slash; "" is any
}

// ParseEntry reads a list entry:
//
//	example.com             the host and all its subdomains, any scheme and port
//	example.com:8443        on that port only
//	example.com/docs        at /docs and below
//	https://example.com/    over https on its default port only
//	localhost, intranet     a single label: exactly that host, no subdomains
//	192.0.2.7, [fd00::7]    exactly that address; ::1 needs no brackets
//
// Refused are wildcards, public suffixes (com, co.uk, github.io), queries and
// all that Parse refuses.
func ParseEntry(text string) (Entry, error) {
	e, bad := parseEntry(text)
	if bad == "" && e.addr.Is6() && !strings.ContainsRune(text, '[') && !strings.HasPrefix(strings.TrimSpace(text), "::") {
		// "2001:db8::1" also reads as the host 2001 with a port.
		bad = KindIPv6
	}
	if bad != "" {
		return Entry{}, InvalidError{bad, text}
	}
	return e, nil
}

// parseEntry also takes an IPv6 address without brackets, as URL.Host has it.
func parseEntry(text string) (Entry, Kind) {
	if len(text) > maxText {
		return Entry{}, KindTooLong
	}
	text = strings.TrimSpace(text)
	switch {
	case strings.Contains(text, "*"), strings.Contains(text, "?") && !strings.Contains(text, "/"):
		return Entry{}, KindWildcard
	case strings.ContainsAny(text, "?#"):
		return Entry{}, KindQuery
	}
	if isPrefix(text) {
		return Entry{}, KindCIDR // not the path "/8" on a host
	}
	if addr, err := netip.ParseAddr(text); err == nil && addr.Is6() {
		text = "[" + text + "]"
	}
	u, bad := parse(text, entryGrammar)
	switch {
	case bad != "":
		return Entry{}, bad
	case u.respelled:
		return Entry{}, KindIPForm
	case !u.Addr.IsValid() && suffix.Is(u.Host):
		return Entry{}, KindPublicSuffix
	case u.Path != "/" && ambiguousPath(u.Path):
		return Entry{}, KindPath
	case u.Scheme == "" && u.Port == 0 && isPrefix(u.Host+strings.TrimSuffix(u.Path, "/")):
		return Entry{}, KindCIDR // spelled so that it did not look like one
	}
	return Entry{
		host:   u.Host,
		addr:   u.Addr,
		exact:  u.Addr.IsValid() || !strings.Contains(u.Host, "."),
		scheme: u.Scheme,
		port:   u.Port,
		path:   strings.TrimSuffix(u.Path, "/"),
	}, ""
}

func isPrefix(text string) bool {
	_, err := netip.ParsePrefix(text)
	return err == nil
}

// MintDomain is the entry of a session grant: the host of a URL or domain
// without one leading "www.", any scheme, port and path. The "www." stays
// where the rest would be a public suffix, an address or a single label.
func MintDomain(text string) (Entry, error) {
	u, bad := parse(text, entryGrammar)
	if bad != "" {
		return Entry{}, InvalidError{bad, text}
	}
	if bare, ok := strings.CutPrefix(u.Host, "www."); ok && strings.Contains(bare, ".") && !suffix.Is(bare) {
		u.Host = bare
	}
	e, bad := parseEntry(u.Host)
	if bad != "" {
		return Entry{}, InvalidError{bad, text}
	}
	return e, nil
}

// ParseGrant reads a session grant as it was stored. Grants are made by
// MintDomain, so only the plain canonical host is one; a text with a scheme,
// port, path, blank or capital letter was made by something else and is
// refused.
func ParseGrant(text string) (Entry, error) {
	e, bad := parseEntry(text)
	if bad == "" && text != e.host {
		bad = KindNotCanonical
	}
	if bad != "" {
		return Entry{}, InvalidError{bad, text}
	}
	return e, nil
}

// Covers says whether the entry surely speaks of the URL; for lists that
// allow. A URL that spells its address in an unusual way, or whose path a
// server may read in two ways where the entry restricts the path, is not
// covered.
func (e Entry) Covers(u URL) bool {
	if e.host == "" || u.respelled || !e.holds(u.Host) {
		return false
	}
	port := e.port
	if port == 0 && e.scheme != "" {
		port = defaultPort(e.scheme)
	}
	return e.onOrigin(u, port) && (e.path == "" || !ambiguousPath(u.Path) && underPath(e.path, u.Path))
}

// MightCover says whether the entry may speak of the URL; for lists that
// restrict. It covers subdomains of single labels too, sees through IPv6
// forms of an IPv4 address, and takes a doubtful path for a hit. A scheme
// without port means every port.
func (e Entry) MightCover(u URL) bool {
	switch {
	case e.host == "" || u.Host == "":
		return false
	case e.addr.IsValid() != u.Addr.IsValid():
		return false
	case e.addr.IsValid() && unwrap(e.addr) != unwrap(u.Addr):
		return false
	case !e.addr.IsValid() && u.Host != e.host && !below(u.Host, e.host):
		return false
	case !e.onOrigin(u, e.port):
		return false
	}
	return e.path == "" || ambiguousPath(u.Path) || strings.Contains(u.Path+e.path, "%") ||
		underPath(strings.ToLower(e.path), strings.ToLower(u.Path))
}

func (e Entry) holds(host string) bool {
	return host == e.host || !e.exact && below(host, e.host)
}

func (e Entry) onOrigin(u URL, port uint16) bool {
	return (e.scheme == "" || e.scheme == u.Scheme) && (port == 0 || port == u.dialPort())
}

// below says whether host is a subdomain of parent.
func below(host, parent string) bool {
	n := len(host) - len(parent)
	return n > 0 && host[n-1] == '.' && host[n:] == parent
}

// parent is the name without its first label; "" when that was the last.
func parent(host string) string {
	_, rest, _ := strings.Cut(host, ".")
	return rest
}

func underPath(prefix, path string) bool {
	return strings.HasPrefix(path, prefix) && (len(path) == len(prefix) || path[len(prefix)] == '/')
}

// ambiguousPath holds for paths that a server may turn into another one: dot
// segments, plain or encoded, once or twice; empty segments; backslashes.
func ambiguousPath(path string) bool {
	if strings.Contains(path, "..") || strings.Contains(path, "//") || strings.Contains(path, `\`) ||
		strings.Contains(path, "/./") || strings.HasSuffix(path, "/.") {
		return true
	}
	for i := 0; i+3 <= len(path); i++ {
		if path[i] != '%' {
			continue
		}
		switch strings.ToLower(path[i+1 : i+3]) {
		case "2e", "2f", "5c", "25", "00":
			return true
		}
	}
	return false
}

// Host is the host of the entry as Parse would give it.
func (e Entry) Host() string { return e.host }

// String is a text that ParseEntry reads as the same entry; "" for the zero
// Entry.
func (e Entry) String() string {
	text := e.host
	if e.addr.Is6() {
		text = "[" + text + "]"
	}
	if e.scheme != "" {
		text = e.scheme + "://" + text
	}
	if e.port != 0 {
		text += ":" + strconv.Itoa(int(e.port))
	}
	return text + e.path
}
