package handlers

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/inspect"
)

// Requests. Absent and null are the same for every field.

type decisionRequest struct {
	SessionID string              `json:"session_id" validate:"maxbytes"`
	Context   *decide.ContextSpec `json:"context" validate:"required_without=SessionID,excluded_with=SessionID"`
	Call      callRequest         `json:"call"`
	Explain   bool                `json:"explain"`
}

type callRequest struct {
	ToolName  string `json:"tool_name" validate:"required,maxbytes"`
	Arguments object `json:"arguments"`
	Metadata  object `json:"metadata"`
}

type batchRequest struct {
	Requests batchItems `json:"requests" validate:"required"`
}

type checkRequest struct {
	SessionID string              `json:"session_id" validate:"maxbytes"`
	Context   *decide.ContextSpec `json:"context" validate:"required_without=SessionID,excluded_with=SessionID"`
	Path      string              `json:"path" validate:"required"`
	Access    string              `json:"access" validate:"required,oneof=read write"`
}

type inspectRequest struct {
	SessionID    string              `json:"session_id" validate:"maxbytes"`
	Context      *decide.ContextSpec `json:"context" validate:"excluded_with=SessionID"`
	Path         string              `json:"path" validate:"required,abspath"`
	RequiredMode octalText           `json:"required_mode" validate:"omitempty,octal"`
	Profile      string              `json:"profile" validate:"omitempty,profile"`
	EffectiveFor *subjectRequest     `json:"effective_for"`
}

// object is a free-form JSON object; nothing else can be decoded into it.
type object struct{ value decide.Value }

// octalText is a mode as people write it. JSON has no octal numbers: what a
// number means is not what its writer meant.
type octalText string

// UnmarshalJSONFrom reads a text, or null as none.
func (o *octalText) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '0' {
		return shapeError(`must be a text such as "0600", not a number: numbers in JSON are decimal, and mode 0600 is 384`)
	}
	return json.UnmarshalDecode(dec, (*string)(o))
}

// shapeError says what a field must be, in the words of an answer.
type shapeError string

func (e shapeError) Error() string { return string(e) }

// UnmarshalJSONFrom reads an object or null.
func (o *object) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '{', 'n':
		return o.value.UnmarshalJSONFrom(dec)
	case 0:
		_, err := dec.ReadToken() // what is wrong with the syntax
		return err
	default:
		return shapeError("must be an object or null")
	}
}

// maxBatch is how many requests one batch may hold.
const maxBatch = 256

// batchItems holds the items unread, so that one cannot spoil the others.
type batchItems []jsontext.Value

// UnmarshalJSONFrom reads an array of at most maxBatch values.
func (b *batchItems) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '[':
	case 'n':
		*b = nil
		return dec.SkipValue()
	case 0:
		_, err := dec.ReadToken()
		return err
	default:
		return shapeError("must be an array of requests")
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	items := batchItems{}
	for dec.PeekKind() != ']' {
		if len(items) == maxBatch {
			return shapeError("must have at most 256 items")
		}
		item, err := dec.ReadValue()
		if err != nil {
			return err
		}
		items = append(items, item.Clone())
	}
	*b = items
	_, err := dec.ReadToken()
	return err
}

// Responses. A list is never null.

type decisionResponse struct {
	DecisionID string `json:"decision_id"`
	judgement
	DecidedAt      string              `json:"decided_at"`
	StandingTarget *string             `json:"standing_target"`
	Approval       *approvalBrief      `json:"approval"`
	Suggestions    []string            `json:"suggestions"`
	Obligations    []decide.Obligation `json:"obligations"`
	Warnings       []string            `json:"warnings"`
	PathsMode      decide.PathsMode    `json:"paths_mode"`
	Trace          *[]traceStep        `json:"trace"`
	Paths          []judgedPath        `json:"paths,omitzero"`
	URL            string              `json:"url,omitzero"`
	Analysis       *analysisResponse   `json:"analysis,omitzero"`
}

// judgement is what a decision says, as it is answered and as the log has it.
type judgement struct {
	Outcome        string `json:"outcome"`
	Allowed        bool   `json:"allowed"`
	NeedsUser      bool   `json:"needs_user"`
	HumanOnly      bool   `json:"human_only"`
	Code           string `json:"code"`
	Reason         string `json:"reason"`
	Rule           string `json:"rule"`
	Risk           string `json:"risk"`
	Mode           string `json:"mode"`
	PolicyRevision string `json:"policy_revision"`
}

type traceStep struct {
	Check   string `json:"check"`
	Kind    string `json:"kind"`
	Result  string `json:"result"`
	Detail  string `json:"detail"`
	SubCode string `json:"subcode,omitzero"`
}

type judgedPath struct {
	Given    string        `json:"given"`
	Resolved string        `json:"resolved"`
	Root     string        `json:"root"`
	Access   decide.Access `json:"access"`
}

type analysisResponse struct {
	Commands    []analysedCommand `json:"commands"`
	Programs    []string          `json:"programs"`
	Reads       []string          `json:"reads"`
	Writes      []string          `json:"writes"`
	Hosts       []string          `json:"hosts"`
	Opaque      string            `json:"opaque"`
	OpaqueText  string            `json:"opaque_text"`
	Unsuggested string            `json:"unsuggested"`
	Paths       []analysedPath    `json:"paths"`
	Host        string            `json:"host"`
}

type analysedCommand struct {
	Words        []string `json:"words"`
	Redirections []string `json:"redirections"`
	Matched      string   `json:"matched"`
	Needs        bool     `json:"needs_approval"`

	Restricted *restricted `json:"restricted"`
}

type restricted struct {
	List  string `json:"list"`
	Names string `json:"names"`
}

type analysedPath struct {
	Given      string          `json:"given"`
	Resolved   string          `json:"resolved"`
	Root       string          `json:"root"`
	Writable   bool            `json:"writable"`
	Access     decide.Access   `json:"access"`
	Inspection *inspect.Report `json:"inspection"`
}

type checkResponse struct {
	decisionResponse
	Resolved   string          `json:"resolved"`
	Root       string          `json:"root"`
	Writable   bool            `json:"writable"`
	Inspection *inspect.Report `json:"inspection"`
}

type batchResponse struct {
	Results []batchResult `json:"results"`
}

// batchResult has exactly one of the two.
type batchResult struct {
	Decision *decisionResponse `json:"decision,omitzero"`
	Error    *Problem          `json:"error,omitzero"`
}

const timeFormat = "2006-01-02T15:04:05.000Z"

const hiddenWarning = "hidden characters in the arguments: what is shown may not be what runs"

// reply puts a decision on the wire.
func reply(rec *decide.Record, hidden bool) *decisionResponse {
	d := &rec.Decision
	res := &decisionResponse{
		DecisionID: rec.ID,
		judgement: judgement{
			Outcome:        d.Outcome.String(),
			Allowed:        d.Outcome.Allowed(),
			NeedsUser:      d.Outcome.NeedsUser(),
			HumanOnly:      d.Outcome.HumanOnly(),
			Code:           string(d.Code),
			Reason:         visible(d.Reason),
			Rule:           d.Rule,
			Risk:           d.Risk.String(),
			Mode:           d.Mode.String(),
			PolicyRevision: d.PolicyRevision,
		},
		DecidedAt:   rec.DecidedAt.UTC().Format(timeFormat),
		Suggestions: d.Suggestions,
		Obligations: d.Obligations,
		Warnings:    warnings(d.Warnings, hidden),
		PathsMode:   d.PathsMode,
		URL:         d.URL,
	}
	if d.StandingTarget != "" {
		res.StandingTarget = &d.StandingTarget
	}
	for _, p := range d.Paths {
		res.Paths = append(res.Paths, judgedPath{p.Given, p.Resolved, p.Root, p.Access})
	}
	return res
}

func warnings(list []string, hidden bool) []string {
	if len(list) == 0 && !hidden {
		return nil
	}
	shown := make([]string, 0, len(list)+1)
	for _, w := range list {
		shown = append(shown, visible(w))
	}
	if hidden {
		shown = append(shown, hiddenWarning)
	}
	return shown
}

// explained adds the trace and the analysis.
func (res *decisionResponse) explained(ctx context.Context, d *decide.Decision, look inspector) {
	steps := make([]traceStep, 0, len(d.Trace))
	for _, s := range d.Trace {
		steps = append(steps, traceStep{s.Check, s.Kind, s.Result, visible(s.Detail), s.SubCode})
	}
	res.Trace = &steps
	if d.Analysis == nil {
		return
	}
	a := &analysisResponse{
		Programs: d.Analysis.Programs, Reads: d.Analysis.Reads, Writes: d.Analysis.Writes, Hosts: d.Analysis.Hosts,
		Opaque: visible(d.Analysis.Opaque), OpaqueText: visible(d.Analysis.OpaqueText), Unsuggested: visible(d.Analysis.Unsuggested), Host: d.Analysis.Host,
	}
	for _, c := range d.Analysis.Commands {
		shown := analysedCommand{Words: c.Words, Redirections: c.Redirections, Matched: c.Matched, Needs: c.Needs}
		if c.Restricted != nil {
			shown.Restricted = &restricted{c.Restricted.List, visible(c.Restricted.Names)}
		}
		a.Commands = append(a.Commands, shown)
	}
	reports := look.judged(ctx, d.PathsMode, d.Analysis.Paths)
	for i, p := range d.Analysis.Paths {
		a.Paths = append(a.Paths, analysedPath{p.Given, p.Resolved, p.Root, p.Writable, p.Access, reports[i]})
	}
	res.Analysis = a
}

// contextSession compiles the session that a request states.
func contextSession(p *decide.Policy, spec *decide.ContextSpec) (decide.Session, error) {
	session, err := p.Session(*spec)
	if err == nil {
		return session, nil
	}
	var wrong *decide.SpecError
	switch {
	case errors.As(err, &wrong):
		return decide.Session{}, specProblem("/context", wrong)
	case errors.Is(err, decide.ErrInlineContext):
		return decide.Session{}, problem(codeForbidden, err.Error())
	}
	return decide.Session{}, err
}

// call turns the wire's call into the engine's.
func (c *callRequest) call() (decide.Call, error) {
	meta, err := decide.ParseMetadata(c.Metadata.value)
	if err != nil {
		return decide.Call{}, fieldProblem(codeValidation, "/call/metadata/risk", err.Error())
	}
	return decide.Call{Tool: c.ToolName, Arguments: c.Arguments.value, Metadata: meta}, nil
}
