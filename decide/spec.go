package decide

import (
	"fmt"
	"strings"

	"github.com/agent-pdp/pdp/internal/programs"
)

// PolicySpec is the operator's policy as data. Compile turns it into a Policy.
// The field names are the keys of the policy file.
type PolicySpec struct {
	Mode            string              // of sessions that name none; default interactive
	MaxMode         string              // the most permissive mode that a context may ask for
	Roots           []RootSpec          // directories that tools may use; nil: not restricted by the policy
	AllowedCommands []string            // command prefixes that run without asking
	AllowedDomains  []string            // domains (with their subdomains) that may be fetched
	AutoAllowTools  []string            // tools that run in custom mode
	StandingRules   map[string][]string // tool → targets
	RiskOverrides   []Value             // {pattern, risk}
	Deny, Ask       ListsSpec           // floors
	ProtectedPaths  []string            // files and directories that govern the permission system

	DeferredExecution        []PatternSpec // after the built-in ones, which it can add to and take back
	PersistentAuthorityTools []string      // in addition to the built-in ones
	Tools                    map[string]ToolSpec
	UnknownTools             string // external (default), deny, read
	InlineContext            string // narrow (default with a file), trust, deny
	Paths                    string // local (default), lexical
	LexicalWrites            string // ask (default), trust
	AllowPrivateNetworks     []string
	CommandMatching          string          // strict (default), precise
	Programs                 []programs.Spec // in addition to the built-in table

	// OwnAddresses are where the service listens (host:port): a command that names
	// one tries to talk to what judges it.
	OwnAddresses []string
	// Home is where ~ points in the policy's own paths; default: the service's.
	Home string
	// Revision identifies the text that the policy was read from.
	Revision string
}

// RootSpec is a directory that tools may use. A root that does not say
// writable is read-only.
type RootSpec struct {
	Path     string `json:"path" validate:"required"`
	Writable bool   `json:"writable"`
}

// ListsSpec holds what a floor refuses or asks about: tool globs, command
// prefixes, domains with their subdomains, and gitignore-like path patterns.
type ListsSpec struct {
	Tools    []string `json:"tools"`
	Commands []string `json:"commands"`
	Domains  []string `json:"domains"`
	Paths    []string `json:"paths"`
}

// PatternSpec is a gitignore-like path pattern and why it is listed, or the
// name of a built-in group of them.
type PatternSpec struct {
	Pattern string // "!" in front takes back what earlier patterns name
	Reason  string
	Group   string // of DeferredGroups; then there is no pattern
}

// ToolSpec classifies a tool that the built-in catalogue does not know, or
// makes one that it knows stricter.
type ToolSpec struct {
	Risk      string   // a risk class
	TargetArg string   // the argument that a standing rule binds
	PathArgs  []string // dotted argument names that hold paths; [] steps into a list
}

// ContextSpec is a session as a request states it.
type ContextSpec struct {
	WorkspaceRoot   string              `json:"workspace_root" validate:"required"`
	Mode            *string             `json:"mode"` // absent: the policy's
	Roots           []RootSpec          `json:"roots" validate:"dive"`
	AllowedCommands []string            `json:"allowed_commands"`
	AllowedDomains  []string            `json:"allowed_domains"`
	AutoAllowTools  []string            `json:"auto_allow_tools"`
	RiskOverrides   []Value             `json:"risk_overrides"`
	Grants          GrantsSpec          `json:"grants"`
	StandingRules   map[string][]string `json:"standing_rules"`
	ProtectedPaths  []string            `json:"protected_paths"`
	Deny            ListsSpec           `json:"deny"`
	Ask             ListsSpec           `json:"ask"`
	Cwd             string              `json:"cwd"`
	Home            string              `json:"home"`
	OS              string              `json:"os"`
	Shell           string              `json:"shell"`
}

// GrantsSpec is what a person allowed during the session.
type GrantsSpec struct {
	Tools            []string `json:"tools"`
	Commands         []string `json:"commands"`
	Domains          []string `json:"domains"`
	ReadOnlyCommands bool     `json:"read_only_commands"`
}

// Issue is one thing wrong with a spec.
type Issue struct {
	Pointer string // JSON pointer to the value, with the wire's names
	Detail  string // what is wrong, and what to write instead
}

// SpecError lists everything that is wrong with a spec.
type SpecError struct{ Issues []Issue }

func (e *SpecError) Error() string {
	parts := make([]string, len(e.Issues))
	for i, issue := range e.Issues {
		parts[i] = issue.Pointer + ": " + issue.Detail
	}
	return strings.Join(parts, "; ")
}

// findings collects what a compiler meets: issues end the compilation,
// warnings name an entry that means nothing safe and was ignored, or less than it
// seems to.
type findings struct {
	issues   []Issue
	warnings []string
}

func (f *findings) issue(pointer, format string, args ...any) {
	f.issues = append(f.issues, Issue{pointer, fmt.Sprintf(format, args...)})
}

func (f *findings) warn(pointer, format string, args ...any) {
	const most = 100 // a list of a million bad entries must not become an answer of that size
	switch n := len(f.warnings); {
	case n < most:
		f.warnings = append(f.warnings, strings.TrimPrefix(pointer, "/")+": "+fmt.Sprintf(format, args...))
	case n == most:
		f.warnings = append(f.warnings, "further warnings are left out")
	}
}

func (f *findings) err() error {
	if len(f.issues) == 0 {
		return nil
	}
	return &SpecError{Issues: f.issues}
}
