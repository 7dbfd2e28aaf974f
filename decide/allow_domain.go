package decide

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
	if name := otherURL(f.call.Arguments); name != "" {
		return grant{reason: "the argument " + name + " may name another address"}, false
	}
	_, ok := f.policy.allow.domains.Covers(u)
	if !ok {
		_, ok = f.session.allow.domains.Covers(u)
	}
	if !ok && f.sessionGrants() {
		_, ok = f.session.grants.domains.Covers(u)
	}
	return grant{code: CodeDomainAllowed, reason: "the host is on the list"}, ok
}

// fixedService are tools that ask their own service, whatever a url argument says.
var fixedService = wordSet("web_search " + enrichmentTools)

var urlNames = wordSet("uri href link urls endpoint base_url target_url page_url host hostname")

func otherURL(arguments Value) string {
	for _, m := range arguments.members {
		if name := foldName(m.Name); urlNames[name] && m.Value.Truthy() {
			return m.Name
		}
	}
	return ""
}
