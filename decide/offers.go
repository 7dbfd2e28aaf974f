package decide

import "github.com/agent-pdp/pdp/internal/hostname"

// Resolution is how a person answers an ask.
type Resolution string

const (
	ResolveOnce          Resolution = "once"              // exactly this call, one time
	ResolveAlwaysTool    Resolution = "always_tool"       // every call of the tool in this session
	ResolveAlwaysCommand Resolution = "always_command"    // exactly this command in this session
	ResolveAlwaysDomain  Resolution = "always_domain"     // the domain in this session
	ResolveReadOnly      Resolution = "read_only_session" // commands that only read in this session
	ResolveStandingRule  Resolution = "standing_rule"     // this tool with this target, by a rule
	ResolveDeny          Resolution = "deny"
)

// Resolutions returns all of them, in the order of the contract.
func Resolutions() []Resolution {
	return []Resolution{
		ResolveOnce, ResolveAlwaysTool, ResolveAlwaysCommand, ResolveAlwaysDomain,
		ResolveReadOnly, ResolveStandingRule, ResolveDeny,
	}
}

// Offer is one answer that may be given to an ask, and what it would grant.
type Offer struct {
	Resolution Resolution `json:"outcome"`
	Grant      *GrantSpec `json:"grant,omitzero"` // nil: nothing for the rest of the session
	Tool       string     `json:"tool,omitzero"`  // of the standing rule; empty: none
	Target     string     `json:"target,omitzero"`
}

// Lasting reports whether the answer is for more than this call.
func (o Offer) Lasting() bool { return o.Grant != nil || o.Tool != "" }

// Offers returns the answers that a person may give to an ask. What only a
// person may decide is answered for one call alone. Every lasting answer was
// tried: it would have let the call run, or it is not offered; nor is it where the
// file system does not answer in time.
func (p *Policy) Offers(s Session, c Call, d Decision) []Offer {
	offers := []Offer{{Resolution: ResolveOnce}}
	if d.Outcome == Ask && d.Code == CodeApprovalRequired && s.state != nil {
		var lasting []Offer
		if p.see(func() { lasting = p.lasting(s, c) }) == nil {
			offers = append(offers, lasting...)
		}
	}
	return append(offers, Offer{Resolution: ResolveDeny})
}

func (p *Policy) lasting(s Session, c Call) []Offer {
	f := facts{policy: p, session: s.state, call: c}
	f.classify()
	var offers []Offer
	try := func(r Resolution, g GrantSpec) {
		if p.judge(s.With(g), c, nil, nil, seeing).Outcome == Allow {
			offers = append(offers, Offer{Resolution: r, Grant: &g})
		}
	}
	// A grant for a tool that fetches any address would be one for every host.
	if !f.connects() && (!f.fetches || fixedService[c.Tool]) {
		try(ResolveAlwaysTool, GrantSpec{Kind: GrantTool, Value: c.Tool, Definition: c.Metadata.Definition})
	}
	if f.judgedAsCommand() {
		if f.readCommand(); f.commandOK {
			if files, err := f.boundFiles(); err == nil {
				try(ResolveAlwaysCommand, GrantSpec{Kind: GrantCommand, Value: f.commandText, Files: files})
			}
			try(ResolveReadOnly, GrantSpec{Kind: GrantReadOnly})
		}
	}
	if f.fetches && !fixedService[c.Tool] {
		if u, err := f.address(); err == nil {
			if entry, err := hostname.MintDomain(u.Host); err == nil {
				try(ResolveAlwaysDomain, GrantSpec{Kind: GrantDomain, Value: entry.Host()})
			}
		}
	}
	if target := f.standingTarget(); target != "" {
		if p.judge(s.WithRule(c.Tool, target), c, nil, nil, seeing).Outcome == Allow {
			offers = append(offers, Offer{Resolution: ResolveStandingRule, Tool: c.Tool, Target: target})
		}
	}
	return offers
}

// BindGrant fills in what a grant that a person types is bound to, and refuses
// one that means nothing safe; the error says why, for that person. A *LateError
// says nothing about the grant.
func (p *Policy) BindGrant(s Session, g GrantSpec) (GrantSpec, error) {
	f := facts{policy: p, session: s.state}
	if g.Kind != GrantCommand {
		return f.bindGrant(g)
	}
	var bound GrantSpec
	var failed error
	if late := p.see(func() { bound, failed = f.bindGrant(g) }); late != nil {
		return GrantSpec{}, &LateError{Cause: late}
	}
	return bound, failed
}
