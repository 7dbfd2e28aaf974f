package handlers

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/sessions"
	"github.com/agent-pdp/pdp/internal/store"
)

// sessionRequest is a context without grants, and how long it is kept.
type sessionRequest struct {
	decide.ContextSpec
	Grants     elsewhere         `json:"grants"`
	TTLSeconds *int64            `json:"ttl_seconds" validate:"omitempty,min=1,max=7776000"`
	Labels     map[string]string `json:"labels"`
}

// elsewhere is a field that another route takes.
type elsewhere struct{}

// UnmarshalJSONFrom takes null, and nothing else.
func (*elsewhere) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == 'n' {
		return dec.SkipValue()
	}
	return shapeError("grants are made by POST /v1/sessions/{id}/grants")
}

type patchRequest struct {
	Mode          *string             `json:"mode"`
	Roots         []decide.RootSpec   `json:"roots" validate:"dive"`
	StandingRules map[string][]string `json:"standing_rules"`
	TTLSeconds    *int64              `json:"ttl_seconds" validate:"omitempty,min=1,max=7776000"`
	Labels        map[string]string   `json:"labels"`
}

func ttl(seconds *int64) time.Duration {
	if seconds == nil {
		return 0
	}
	return time.Duration(*seconds) * time.Second
}

type sessionResponse struct {
	ID    string `json:"id"`
	Owner string `json:"owner"`
	decide.ContextSpec
	Roots      *[]decide.RootSpec `json:"roots"`
	Grants     []grantResponse    `json:"grants"`
	Widened    bool               `json:"widened"`
	TTLSeconds int64              `json:"ttl_seconds"`
	Labels     map[string]string  `json:"labels"`
	CreatedAt  string             `json:"created_at"`
	UpdatedAt  string             `json:"updated_at"`
	ExpiresAt  string             `json:"expires_at"`
}

func sessionReply(v sessions.View) sessionResponse {
	res := sessionResponse{
		ID: v.ID, Owner: v.Owner, ContextSpec: v.Context, Widened: v.Widened,
		TTLSeconds: int64(v.TTL / time.Second), Labels: v.Labels,
		CreatedAt: wireTime(v.Created), UpdatedAt: wireTime(v.Updated), ExpiresAt: wireTime(v.Expires),
	}
	if v.Context.Roots != nil { // null is the workspace, an empty list no root
		res.Roots = &v.Context.Roots
	}
	for _, g := range v.Grants {
		res.Grants = append(res.Grants, grantReply(g))
	}
	return res
}

func wireTime(t time.Time) string { return t.UTC().Format(timeFormat) }

// wireTimeOr is null for a time that has not come.
func wireTimeOr(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := wireTime(t)
	return &text
}

type grantRequest struct {
	Kind       string `json:"kind" validate:"required,oneof=tool command domain read_only_commands"`
	Value      string `json:"value"`
	Definition string `json:"definition"`
	TTLSeconds *int64 `json:"ttl_seconds" validate:"omitempty,min=1,max=7776000"`
}

type grantResponse struct {
	ID         string   `json:"id"`
	Kind       string   `json:"kind"`
	Value      string   `json:"value"`
	Definition string   `json:"definition"`
	Files      []string `json:"files"` // whose content the grant is bound to
	GrantedBy  string   `json:"granted_by"`
	ApprovalID *string  `json:"approval_id"`
	CreatedAt  string   `json:"created_at"`
	ExpiresAt  *string  `json:"expires_at"`
}

func grantReply(g store.Grant) grantResponse {
	res := grantResponse{
		ID: g.ID, Kind: g.Kind, Value: g.Value, Definition: g.Definition, Files: sortedKeys(g.Files),
		GrantedBy: g.By, CreatedAt: wireTime(g.Created), ExpiresAt: wireTimeOr(g.Expires),
	}
	if g.Approval != "" {
		res.ApprovalID = &g.Approval
	}
	return res
}

// approvalBrief is what a decision says of its approval.
type approvalBrief struct {
	ID        string              `json:"id"`
	State     string              `json:"state"`
	Options   []decide.Resolution `json:"options"`
	ExpiresAt string              `json:"expires_at"`
}

type approvalResponse struct {
	approvalBrief
	SessionID  string            `json:"session_id"`
	Workspace  string            `json:"workspace_root"` // of the session, when it asked
	Cwd        string            `json:"cwd"`
	HumanOnly  bool              `json:"human_only"`
	Call       approvalCall      `json:"call"`
	Decision   approvalDecision  `json:"decision"`
	Grants     map[string]string `json:"option_values"` // what a lasting option would grant
	CreatedAt  string            `json:"created_at"`
	Outcome    *string           `json:"outcome"`
	Note       string            `json:"note"`
	ResolvedBy *string           `json:"resolved_by"`
	ResolvedAt *string           `json:"resolved_at"`
	UsableTo   *string           `json:"usable_until"`
	UsedAt     *string           `json:"used_at"`
}

type approvalCall struct {
	ToolName  string       `json:"tool_name"`
	Arguments decide.Value `json:"arguments"`
	Metadata  decide.Value `json:"metadata"`
	Truncated bool         `json:"truncated"`
	Unbound   bool         `json:"unbound"`
}

type approvalDecision struct {
	ID             string   `json:"decision_id"`
	Code           string   `json:"code"`
	Reason         string   `json:"reason"`
	Risk           string   `json:"risk"`
	Mode           string   `json:"mode"`
	StandingTarget *string  `json:"standing_target"`
	Suggestions    []string `json:"suggestions"`
}

type resolveRequest struct {
	Outcome string `json:"outcome" validate:"required"`
	Note    string `json:"note" validate:"maxnote"`
}

type resolveResponse struct {
	approvalResponse
	Grant *grantResponse `json:"grant"`
}

func briefOf(a *sessions.Approval) *approvalBrief {
	return &approvalBrief{ID: a.ID, State: string(a.State), Options: a.Options(), ExpiresAt: wireTime(a.Expires)}
}

func approvalReply(a *sessions.Approval) approvalResponse {
	r := &a.Request
	res := approvalResponse{
		approvalBrief: *briefOf(a),
		SessionID:     a.Session,
		Workspace:     r.WorkspaceRoot,
		Cwd:           r.Cwd,
		HumanOnly:     a.HumanOnly,
		Call:          approvalCall{r.Tool, r.Arguments, r.Metadata, r.Cut, r.Unbound},
		Decision: approvalDecision{
			ID: r.DecisionID, Code: string(r.Code), Reason: visible(r.Reason), Risk: r.Risk, Mode: r.Mode,
			StandingTarget: orNull(r.StandingTarget), Suggestions: r.Suggestions,
		},
		Grants:     map[string]string{},
		CreatedAt:  wireTime(a.Created),
		Outcome:    orNull(a.Outcome),
		Note:       a.Note,
		ResolvedBy: orNull(a.By),
		ResolvedAt: wireTimeOr(a.Resolved),
		UsableTo:   wireTimeOr(a.UsableTo),
		UsedAt:     wireTimeOr(a.Used),
	}
	for _, o := range r.Offers {
		switch {
		case o.Grant != nil:
			res.Grants[string(o.Resolution)] = o.Grant.Value
		case o.Tool != "":
			res.Grants[string(o.Resolution)] = o.Tool + " → " + o.Target
		}
	}
	return res
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
