package policyfile

import (
	"strings"

	"github.com/agent-pdp/pdp/internal/spelling"
)

// later holds keys of the contract that this version does not act on. Ignoring
// one would leave an operator with less protection than the file says.
var later = map[string]bool{
	"trusted_mcp_servers": true,
	"runtimes":            true,
}

func unknownKey(name string, known []key, top bool) string {
	if top && later[name] {
		return "not supported by this version; remove it"
	}
	names := make([]string, len(known))
	for i := range known {
		names[i] = known[i].name
	}
	if near := spelling.Nearest(name, names); near != "" {
		return "is no key of a policy; did you mean " + near + "?"
	}
	return "is no key of a policy; known here: " + strings.Join(names, ", ")
}
