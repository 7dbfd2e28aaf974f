package sessions

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/store"
)

// Request is what an approval is about.
type Request struct {
	Owner          string         `json:"owner"` // of the session
	Place          string         `json:"place"` // that the session was in; see placeOf
	WorkspaceRoot  string         `json:"workspace_root"`
	Cwd            string         `json:"cwd"`
	DecisionID     string         `json:"decision_id"`
	Tool           string         `json:"tool_name"`
	Arguments      decide.Value   `json:"arguments"`
	Metadata       decide.Value   `json:"metadata"`
	Cut            bool           `json:"truncated"` // the arguments were too long to be kept; see Argument's size
	Unbound        bool           `json:"unbound"`   // what the call runs could not be told: the approval is not bound to it
	Code           decide.Code    `json:"code"`
	Reason         string         `json:"reason"`
	Risk           string         `json:"risk"`
	Mode           string         `json:"mode"`
	StandingTarget string         `json:"standing_target"`
	Suggestions    []string       `json:"suggestions"`
	Offers         []decide.Offer `json:"offers"`
}

// keyOf binds an answer to the session, the call, and why it was asked: who
// answered an ordinary ask has not seen a floor that asks about the call later.
func keyOf(session, place string, fingerprint [sha256.Size]byte, d decide.Decision) string {
	why := sha256.Sum256([]byte(string(d.Code) + " " + d.Outcome.String() + " " + strconv.FormatBool(d.Outcome.HumanOnly())))
	sum := sha256.New()
	_, _ = sum.Write(fingerprint[:]) // of fixed length as the next two, so nothing can be moved between them
	_, _ = sum.Write(why[:])
	_, _ = sum.Write([]byte(place))
	_, _ = sum.Write([]byte(session))
	return hex.EncodeToString(sum.Sum(nil))
}

// placeOf names one life of a session in one place. What was asked there is not
// answered for a later session of that name, nor after the session has moved:
// the person did not see that.
func placeOf(s *store.Session, doc *document) string {
	c := &doc.Context
	raw, _ := json.Marshal([]any{s.Created.UnixMicro(), c.WorkspaceRoot, c.Cwd, c.Home, c.OS, c.Shell}) // what was read can be written
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

func requestOf(e *live, call Call, d decide.Decision, offers []decide.Offer) Request {
	r := Request{
		Owner: e.stored.Owner, Place: placeOf(&e.stored, e.doc),
		WorkspaceRoot: e.doc.Context.WorkspaceRoot, Cwd: cmp.Or(e.doc.Context.Cwd, e.doc.Context.WorkspaceRoot),
		DecisionID: call.DecisionID, Tool: call.Call.Tool, Arguments: call.Call.Arguments, Metadata: call.Metadata,
		Code: d.Code, Reason: d.Reason, Risk: d.Risk.String(), Mode: d.Mode.String(),
		StandingTarget: d.StandingTarget, Suggestions: d.Suggestions,
		Offers: slices.DeleteFunc(slices.Clone(offers), unkeepable),
	}
	raw, err := json.Marshal(struct{ A, M decide.Value }{r.Arguments, r.Metadata})
	if err == nil && len(raw) <= maxShown {
		return r
	}
	// What nobody has seen whole is allowed one time at most.
	r.Cut = true
	r.Arguments, r.Metadata = shorten(r.Arguments), decide.Value{}
	r.StandingTarget, r.Suggestions = "", nil
	r.Offers = slices.DeleteFunc(r.Offers, decide.Offer.Lasting)
	return r
}

// unkeepable reports whether what the answer gives could not be kept, or would be
// refused if somebody granted it without an ask.
func unkeepable(o decide.Offer) bool {
	if len(o.Target) > maxValue || unseen(o.Target) != "" {
		return true
	}
	g := o.Grant
	return g != nil && (len(g.Value) > maxValue || len(g.Definition) > maxValue || unseen(g.Value) != "" || controls(g.Definition, "") != "")
}

// shorten keeps the beginning of the first text arguments.
func shorten(v decide.Value) decide.Value {
	const most, name, text = 20, 100, 2000
	var members []decide.Member
	for _, m := range v.Members() {
		if len(members) == most {
			break
		}
		if t, ok := m.Value.AsString(); ok {
			members = append(members, decide.Member{Name: clip(m.Name, name), Value: decide.Text(clip(t, text))})
		}
	}
	return decide.NewObject(members...)
}

// clip keeps the beginning of a text.
func clip(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	return strings.ToValidUTF8(s[:bytes], "") + "…"
}
