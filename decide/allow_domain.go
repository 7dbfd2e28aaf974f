package decide

import (
	"strings"

	"github.com/agent-pdp/pdp/internal/hostname"
)

// domainAllowed lets a fetch go to a host that the operator listed, or that a
// person granted where grants count. It speaks of the url argument, so it is
// no word for a tool that sends its request elsewhere.
func domainAllowed(f *facts) (grant, bool) {
	if f.risk != Egress || fixedService[f.call.Tool] {
		return grant{}, false
	}
	u, err := f.address()
	if err != nil {
		return grant{reason: err.Error()}, false
	}
	if !f.vouchedFor(u) {
		return grant{}, false
	}
	stray := strayAddress{vouched: f.vouchedFor}
	if stray.object(f.call.Arguments, true); stray.name != "" {
		return grant{reason: "the argument " + stray.name + " names another address, or another way to it"}, false
	}
	return grant{code: CodeDomainAllowed, reason: "the host is on the list"}, true
}

// vouchedFor reports whether the operator listed the host, or a person granted it
// where grants count.
func (f *facts) vouchedFor(u hostname.URL) bool {
	_, ok := f.policy.allow.domains.Covers(u)
	if !ok {
		_, ok = f.session.allow.domains.Covers(u)
	}
	if !ok && f.sessionGrants() {
		_, ok = f.session.grants.domains.Covers(u)
	}
	return ok
}

// strayAddress looks for an argument that could lead the fetch to a host that
// nobody vouches for.
type strayAddress struct {
	vouched func(hostname.URL) bool
	name    string // of the argument; empty: none
	parsed  int    // texts that held JSON, for the bound
}

func (s *strayAddress) object(v Value, top bool) {
	for i := range v.members {
		m := &v.members[i]
		name := plainName(m.Name)
		switch {
		case top && m.Name == "url" || contentNames[name] || !m.Value.Truthy():
		case steers(name, m.Value):
			s.name = m.Name
		case strings.Contains(name, "header"):
			s.headers(m.Name, m.Value)
		default:
			s.value(m.Name, name, m.Value)
		}
		if s.name != "" {
			return
		}
	}
}

func (s *strayAddress) value(given, plain string, v Value) {
	switch v.kind {
	case String:
		s.text(given, plain, v.text)
	case Number:
		const few = 4 // digits of a count
		if namesAddress(plain) && len(v.text) > few {
			s.name = given // an address as one number
		}
	case Object:
		s.object(v, false)
	case List:
		for i := range v.members {
			s.value(given, plain, v.members[i].Value)
		}
	}
}

func (s *strayAddress) text(given, plain, text string) {
	if isJSON(text) {
		const most = 64
		inner, err := ParseValue([]byte(text))
		if s.parsed++; s.parsed > most || err != nil && (namesAddress(plain) || strings.Contains(text, "://")) {
			s.name = given
		} else if err == nil {
			s.value(given, plain, inner)
		}
		return
	}
	if text = strings.TrimSpace(text); !namesAddress(plain) && !isAddress(text) {
		return
	}
	if u, err := hostname.Parse(text); err != nil || !s.vouched(u) {
		s.name = given
	}
}

// headers takes the headers of a request in the forms that clients know: an
// object, lines "Name: value" in one text or several, pairs, and objects with a
// name and a value.
func (s *strayAddress) headers(given string, v Value) {
	switch v.kind {
	case String:
		if isJSON(v.text) {
			s.text(given, "", v.text)
			return
		}
		for line := range strings.Lines(v.text) {
			name, value, _ := strings.Cut(strings.TrimLeft(line, " \t:"), ":")
			s.header(given, name, value)
		}
	case List:
		if len(v.members) > 1 && v.members[0].Value.kind == String && !strings.Contains(v.members[0].Value.text, ":") {
			for i := 0; i+1 < len(v.members); i += 2 { // name, value, name, value
				s.header(given, v.members[i].Value.text, v.members[i+1].Value.text)
			}
			return
		}
		for i := range v.members {
			s.headers(given, v.members[i].Value)
		}
	case Object:
		name := ""
		for i := range v.members {
			switch plainName(v.members[i].Name) {
			case "name", "key", "header", "field":
				name = v.members[i].Value.text
			}
		}
		for i := range v.members {
			m := &v.members[i]
			values := []Member{{Value: m.Value}}
			if m.Value.kind == List { // several values of one header
				values = m.Value.members
			}
			for _, value := range values {
				if value.Value.kind != String {
					s.headers(given, value.Value)
					continue
				}
				s.header(given, m.Name, value.Value.text)
				if name != "" {
					s.header(given, name, value.Value.text)
				}
			}
		}
	}
}

// header takes a header that says to which host, or by which way, a request goes.
func (s *strayAddress) header(given, name, value string) {
	plain := plainName(strings.TrimSpace(name))
	if s.name == "" && (routeHeaders[plain] || namesAddress(plain) || isAddress(strings.TrimSpace(value))) {
		s.text(given, "host", value)
	}
}

// routeHeaders are those beside Host that a proxy or server goes by.
var routeHeaders = wordSet("authority xforwardedhost xforwardedserver xhost xoriginalhost xoriginalurl xrewriteurl forwarded")

// isAddress reports a text that starts as the URL of a web server does, tabs and
// newlines in it aside.
func isAddress(text string) bool {
	scheme, _, ok := strings.Cut(text, ":")
	if ok && strings.ContainsAny(scheme, "\t\r\n") {
		scheme = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(scheme)
	}
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// steerNames lead a request past the host in its URL.
var steerNames = wordSet(`proxy proxies httpproxy httpsproxy socksproxy allproxy resolve resolver connectto dns dnsserver interface unixsocket socket tunnel
	gateway via sni servername localaddress hostresolverrules hostoverride hostheader`)

// steerParts are in the names of arguments that do so, if they have a value that
// could say where.
var steerParts = [...]string{"proxy", "proxies", "socket", "resolve", "tunnel", "gateway", "dns", "upstream", "connectto", "servername", "tlsname", "peername"}

func steers(plain string, v Value) bool {
	if steerNames[plain] {
		return true
	}
	if v.kind == Bool {
		return false
	}
	for _, part := range steerParts {
		if strings.Contains(plain, part) {
			return true
		}
	}
	return false
}

// fixedService are tools that ask their own service, whatever a url argument says.
var fixedService = wordSet("web_search " + enrichmentTools)
