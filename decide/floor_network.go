package decide

import (
	"strconv"
	"strings"

	"github.com/agent-pdp/pdp/internal/hostname"
)

// privateNetwork keeps fetches out of networks that the outside world cannot
// reach: addresses that hand out a machine's credentials are denied to every
// tool, other private ones ask a person where the tool fetches, unless the policy
// lists them. An address that cannot be read asks too, since it may be any of
// these.
func privateNetwork(f *facts) (refusal, bool) {
	if f.runs && !f.fetches || fixedService[f.call.Tool] {
		return refusal{}, false
	}
	for _, u := range f.addresses() {
		if u.Address() == hostname.Metadata {
			return refusal{Deny, CodePrivateNetwork, strconv.Quote(clip(u.Host)) + " hands out the credentials of a cloud machine"}, true
		}
	}
	if f.unclearText != "" && f.unclear == hostname.Metadata {
		return refusal{Deny, CodePrivateNetwork, strconv.Quote(clip(f.unclearText)) + " leads to an address that hands out the credentials of a cloud machine"}, true
	}
	if f.moreAddresses {
		return refusal{AskHuman, CodePrivateNetwork, "the call names more addresses than can be looked at"}, true
	}
	if !f.fetches {
		return refusal{}, false
	}
	if isShare(f.call.Arguments.Get("url")) {
		return refusal{Deny, CodeInvalidPath, "the address leads to a share of another machine, which looking at it would log in to"}, true
	}
	for _, u := range f.addresses() {
		if kind := u.Address(); kind != hostname.Public && !f.policy.networks.Contains(u) {
			return refusal{AskHuman, CodePrivateNetwork, strconv.Quote(clip(u.Host)) + " is not on the public internet (" + kind.String() + ")"}, true
		}
	}
	// A tool that is known to fetch reads its address from some argument; if it
	// is not the one that is judged here, nobody has looked at it.
	if f.own == Egress || f.call.Arguments.Get("url").Kind() != Absent {
		if _, err := f.address(); err != nil {
			outcome := Ask
			if f.unclearText != "" {
				outcome = AskHuman // some program would read a private address in it
			}
			return refusal{outcome, CodeApprovalRequired, err.Error()}, true
		}
	}
	if f.unclearText != "" {
		return refusal{AskHuman, CodePrivateNetwork, strconv.Quote(clip(f.unclearText)) + " leads to an address that is not on the public internet (" + f.unclear.String() + ")"}, true
	}
	return refusal{}, false
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
