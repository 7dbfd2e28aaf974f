package handlers

import (
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/inspect"
)

// The routes below /v1/windows/acl turn text and facts from a Windows system
// into an answer. They read nothing of this machine, and work on every system.

type parseACLRequest struct {
	Output     string `json:"output"`
	TargetPath string `json:"target_path"`
}

// parseACL answers POST /v1/windows/acl/parse.
func parseACL(x *exchange, r *http.Request) error {
	req, err := decode[parseACLRequest](x, r)
	if err != nil {
		return err
	}
	return encode(x, http.StatusOK, inspect.ParseIcacls(req.Output, req.TargetPath))
}

type summarizeACLRequest struct {
	Entries []inspect.Entry   `json:"entries" validate:"required"`
	Env     map[string]string `json:"env"`
}

type summarizeACLResponse struct {
	inspect.Summary
	Text string `json:"summary"`
}

// summarizeACL answers POST /v1/windows/acl/summarize.
func summarizeACL(x *exchange, r *http.Request) error {
	req, err := decode[summarizeACLRequest](x, r)
	if err != nil {
		return err
	}
	s := inspect.Summarize(req.Entries, callersEnv(req.Env), "")
	return encode(x, http.StatusOK, summarizeACLResponse{s, inspect.FormatSummary(s)})
}

type classifyACLRequest struct {
	Facts                      jsontext.Value `json:"facts" validate:"required_without=Failure,excluded_with=Failure"`
	Failure                    jsontext.Value `json:"failure"` // any value that the query failed with
	CurrentUserSID             string         `json:"current_user_sid"`
	PrincipalTranslationFailed bool           `json:"principal_translation_failed"`
}

// classifyACL answers POST /v1/windows/acl/classify. Facts that make no sense
// have an answer too: nothing is verified then.
func classifyACL(x *exchange, r *http.Request) error {
	req, err := decode[classifyACLRequest](x, r)
	if err != nil {
		return err
	}
	facts, wrong := req.facts()
	return encode(x, http.StatusOK, inspect.Classify(facts, wrong, inspect.ClassifyOptions{
		CurrentUserSID:             req.CurrentUserSID,
		PrincipalTranslationFailed: req.PrincipalTranslationFailed,
	}))
}

func (req *classifyACLRequest) facts() (inspect.SecurityFacts, error) {
	if req.Failure == nil {
		return inspect.ParseFacts(req.Facts, inspect.SnakeCase)
	}
	var failure any
	if err := json.Unmarshal(req.Failure, &failure); err != nil {
		return inspect.SecurityFacts{}, err
	}
	return inspect.SecurityFacts{}, errors.New(inspect.DescribeFailure(failure))
}

type resetCommandRequest struct {
	Path  string            `json:"path" validate:"required"`
	IsDir bool              `json:"is_dir"`
	Env   map[string]string `json:"env"`
}

// resetCommand answers POST /v1/windows/acl/reset-command.
func resetCommand(x *exchange, r *http.Request) error {
	req, err := decode[resetCommandRequest](x, r)
	if err != nil {
		return err
	}
	cmd := inspect.Reset{Path: req.Path, IsDir: req.IsDir, Env: callersEnv(req.Env)}.Command()
	return encode(x, http.StatusOK, cmd)
}

// callersEnv keeps the environment of the service out: it names the user of the
// service, not the caller's.
func callersEnv(env map[string]string) map[string]string {
	if env == nil {
		return map[string]string{}
	}
	return env
}
