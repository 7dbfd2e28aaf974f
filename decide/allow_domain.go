package decide

import (
	"slices"
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
}

func (s *strayAddress) object(v Value, top bool) {
	for i := range v.members {
		m := &v.members[i]
		name := plainName(m.Name)
		switch {
		case top && m.Name == "url" || contentNames[name] || !m.Value.Truthy():
		case steers(name):
			s.name = m.Name
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
		text := strings.TrimSpace(v.text)
		if headerNames[plain] && slices.ContainsFunc(strings.Split(text, "\n"), namesHost) {
			s.name = given
			return
		}
		if !namesAddress(plain) && !isAddress(text) {
			return
		}
		if u, err := hostname.Parse(text); err != nil || !s.vouched(u) {
			s.name = given
		}
	case Object:
		s.object(v, false)
	case List:
		for i := range v.members {
			s.value(given, plain, v.members[i].Value)
		}
	}
}

// isAddress reports a text that starts as the URL of a web server does.
func isAddress(text string) bool {
	scheme, _, ok := strings.Cut(text, ":")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// steerNames lead a request past the host in its URL.
var steerNames = wordSet(`httpproxy httpsproxy socksproxy allproxy useproxy resolve resolver hostresolverrules connectto connect dns dnsserver dnsservers
	interface localaddress unixsocket socket socketpath unixsocketpath tunnel gateway via sni servername hostheader hostoverride`)

// steers reports an argument of those names, or one of a proxy.
func steers(plain string) bool { return steerNames[plain] || strings.HasPrefix(plain, "prox") }

// headerNames hold headers of the request, of which Host leads it elsewhere.
var headerNames = wordSet(`header headers httpheaders requestheaders extraheaders extrahttpheaders customheaders additionalheaders`)

func namesHost(header string) bool {
	name, _, ok := strings.Cut(header, ":")
	return ok && strings.EqualFold(strings.TrimSpace(name), "host")
}

// fixedService are tools that ask their own service, whatever a url argument says.
var fixedService = wordSet("web_search " + enrichmentTools)
