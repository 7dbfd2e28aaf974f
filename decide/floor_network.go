package decide

import (
	"strconv"
	"strings"

	"github.com/agent-pdp/pdp/internal/hostname"
)

// privateNetwork keeps fetches out of networks that the outside world cannot
// reach: addresses that hand out a machine's credentials are denied, other
// private ones ask a person, unless the policy lists them. An address that
// cannot be read asks too, since it may be any of these.
func privateNetwork(f *facts) (refusal, bool) {
	if !f.fetches || fixedService[f.call.Tool] {
		return refusal{}, false
	}
	// A tool that is known to fetch reads its address from some argument; if it
	// is not the one that is judged here, nobody has looked at it.
	if f.own != Egress && f.call.Arguments.Get("url").Kind() == Absent {
		return refusal{}, false
	}
	if isShare(f.call.Arguments.Get("url")) {
		return refusal{Deny, CodeInvalidPath, "the address leads to a share of another machine, which looking at it would log in to"}, true
	}
	u, err := f.address()
	if err != nil {
		return refusal{Ask, CodeApprovalRequired, err.Error()}, true
	}
	kind := u.Address()
	switch {
	case kind == hostname.Metadata:
		return refusal{Deny, CodePrivateNetwork, strconv.Quote(clip(u.Host)) + " hands out the credentials of a cloud machine"}, true
	case kind == hostname.Public || f.policy.networks.Contains(u):
		return refusal{}, false
	default:
		return refusal{AskHuman, CodePrivateNetwork, strconv.Quote(clip(u.Host)) + " is not on the public internet (" + kind.String() + ")"}, true
	}
}

// isShare reports a file: address that names another machine, by a host or by
// the slashes of a network path.
func isShare(v Value) bool {
	text, ok := v.AsString()
	if text = strings.TrimSpace(text); !ok || !isFileURL(text) {
		return false
	}
	rest := strings.ReplaceAll(text[len("file:"):], `\`, "/")
	host, isAuthority := strings.CutPrefix(rest, "//")
	if !isAuthority {
		return false
	}
	host, _, _ = strings.Cut(host, "/")
	return host != "" && !strings.EqualFold(host, "localhost") || strings.HasPrefix(rest, "////")
}
