package sessions

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/store"
)

// document is a session's context as the store keeps it.
type document struct {
	Context decide.ContextSpec  `json:"context"`
	Trust   decide.Trust        `json:"trust"`
	Outer   []decide.RootSpec   `json:"outer"` // null: none
	Rules   map[string][]string `json:"rules"` // minted by people
}

// Absent lists differ from empty ones: no roots given is the workspace, an
// empty list is no root at all.
var asStored = json.JoinOptions(json.FormatNilSliceAsNull(true), json.FormatNilMapAsNull(true))

func (d *document) encode() ([]byte, error) { return json.Marshal(d, asStored) }

func decodeDocument(raw []byte) (*document, error) {
	d := &document{}
	if err := json.Unmarshal(raw, d, json.RejectUnknownMembers(true)); err != nil {
		return nil, err
	}
	return d, nil
}

// spec is the document with grants, for the engine.
func (d *document) spec(grants []store.Grant, now time.Time) decide.StoredSpec {
	s := decide.StoredSpec{Context: d.Context, Trust: d.Trust, Outer: d.Outer, StandingRules: d.Rules}
	for _, g := range grants {
		if expired(g, now) {
			continue
		}
		s.Grants = append(s.Grants, decide.GrantSpec{
			Kind: decide.GrantKind(g.Kind), Value: g.Value, Definition: g.Definition, Files: g.Files,
		})
	}
	return s
}

func expired(g store.Grant, now time.Time) bool { return !g.Expires.IsZero() && !now.Before(g.Expires) }

// allRules are the rules of the context and those minted later.
func (d *document) allRules() map[string][]string {
	all := map[string][]string{}
	for _, rules := range []map[string][]string{d.Context.StandingRules, d.Rules} {
		for tool, targets := range rules {
			for _, target := range targets {
				if !slices.Contains(all[tool], target) {
					all[tool] = append(all[tool], target)
				}
			}
		}
	}
	return all
}

// View is a session as a caller sees it.
type View struct {
	store.Session
	Context decide.ContextSpec // with all standing rules
}

func viewOf(s store.Session) (View, error) {
	d, err := decodeDocument(s.Spec)
	if err != nil {
		return View{}, err
	}
	v := View{Session: s, Context: d.Context}
	v.Context.StandingRules = d.allRules()
	v.Context.Grants = decide.GrantsSpec{}
	return v, nil
}
