package handlers

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// gate keeps web pages away. A page can make its own host name resolve to a
// loopback address and then talk to this service as if it were its own server;
// it cannot choose the Host header. And it can send some requests to any host,
// but not without an Origin or a Sec-Fetch-Site header that tells.
type gate struct {
	listener Listener
	allowed  func() []string
}

func (g gate) check(r *http.Request) error {
	// A browser cannot open a Unix socket, and clients put anything in Host.
	if g.listener.Network != "unix" && !g.serves(r) {
		return problem(codeForbidden, "the Host header does not name this service; add the name to allowed_hosts")
	}
	for _, origin := range r.Header["Origin"] {
		if !g.sameOrigin(origin, r) {
			return problem(codeForbidden, "requests from pages of another origin are not answered")
		}
	}
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site == "cross-site" && !isVisit(r) {
			return problem(codeForbidden, "requests from pages of another site are not answered")
		}
	}
	return nil
}

// isVisit reports whether a person follows a link: the page that has the link
// cannot read the answer.
func isVisit(r *http.Request) bool {
	return r.Method == http.MethodGet &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
}

// serves reports whether the Host header names this service.
func (g gate) serves(r *http.Request) bool {
	host, port, ok := splitHost(r.Host)
	if !ok {
		return false
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Zone() == "" && addr.Unmap().IsLoopback() || arrivedAt(r, addr) {
			return true
		}
	} else if strings.EqualFold(host, "localhost") {
		return true
	}
	return g.lists(host, port)
}

// arrivedAt reports whether addr is this end of the connection. An address
// cannot be pointed elsewhere, as a name can.
func arrivedAt(r *http.Request, addr netip.Addr) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && local.AddrPort().Addr().Unmap() == addr.Unmap()
}

// lists reports whether the listener or the configuration names the host.
func (g gate) lists(host, port string) bool {
	if own, _, ok := splitHost(g.listener.Address); ok && strings.EqualFold(own, host) && !isUnspecified(own) {
		return true
	}
	for _, entry := range g.allowed() {
		h, p, ok := splitHost(entry)
		if ok && strings.EqualFold(h, host) && (p == "" || p == port) {
			return true
		}
	}
	return false
}

func isUnspecified(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsUnspecified()
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// sameOrigin reports whether the origin is the service itself under the name
// that the request used, or one that is allowed.
func (g gate) sameOrigin(origin string, r *http.Request) bool {
	u, err := url.Parse(origin)
	if err != nil || defaultPorts[u.Scheme] == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	host, port, ok := splitHost(u.Host)
	if !ok {
		return false
	}
	if port == "" {
		port = defaultPorts[u.Scheme]
	}
	own, ownPort, ok := splitHost(r.Host)
	if ok && strings.EqualFold(own, host) && (ownPort == port || ownPort == "" && port == defaultPorts[u.Scheme]) {
		return true
	}
	return g.allows(host, port)
}

// allows is for origins: only the configuration counts.
func (g gate) allows(host, port string) bool {
	return gate{allowed: g.allowed}.lists(host, port)
}

// splitHost splits "host", "host:port", "[v6]" and "[v6]:port". The host comes
// without brackets and without a final dot.
func splitHost(hostport string) (host, port string, ok bool) {
	rest := ""
	if strings.HasPrefix(hostport, "[") {
		end := strings.IndexByte(hostport, ']')
		if end < 0 {
			return "", "", false
		}
		host, rest = hostport[1:end], hostport[end+1:]
	} else if colon := strings.IndexByte(hostport, ':'); colon >= 0 {
		host, rest = hostport[:colon], hostport[colon:]
	} else {
		host = hostport
	}
	if rest != "" {
		if rest[0] != ':' || !isPort(rest[1:]) {
			return "", "", false
		}
		port = rest[1:]
	}
	host = strings.TrimSuffix(host, ".")
	return host, port, host != ""
}

func isPort(s string) bool {
	if s == "" || len(s) > 5 {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
