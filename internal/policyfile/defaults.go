package policyfile

import (
	"time"

	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/sessions"
)

// Two defaults depend on whether the operator wrote a policy. Without a file
// the program answers for a runtime that it trusts, as a library would. With
// one, the operator has spoken, and a caller must not talk itself out of it.
const (
	maxModeWithoutFile       = "bypass-approvals" // with a file: the file's mode
	inlineContextWithoutFile = "trust"
	inlineContextWithFile    = "narrow"
)

// BuiltIn returns the policy that holds without a file.
func BuiltIn() *File {
	f := newFile("built-in")
	f.Revision, f.Spec.Revision = "built-in", "built-in"
	f.Spec.MaxMode = maxModeWithoutFile
	f.Spec.InlineContext = inlineContextWithoutFile
	return f
}

// newFile returns what holds where a file is silent.
func newFile(name string) *File {
	f := &File{Name: name, version: 1, given: map[string]bool{}}
	f.Spec.Mode = "interactive"
	f.Spec.InlineContext = inlineContextWithFile
	f.Spec.CommandMatching = "strict"
	f.Spec.UnknownTools = "external"
	f.Spec.Paths = "local"
	f.Spec.LexicalWrites = "ask"
	f.Audit = Audit{Mode: "async", OnFailure: "refuse", BodyBytes: audit.DefaultBody, CheckpointEvery: audit.DefaultCheckpointEvery, CheckpointInterval: audit.DefaultCheckpointInterval}
	f.Limits = Limits{
		BodyBytes:                1 << 20,
		Concurrency:              256,
		RequestTimeout:           10 * time.Second,
		DecisionTimeout:          2 * time.Second,
		UnauthenticatedPerSecond: 5000,
		SessionsPerCaller:        sessions.DefaultQuota().Sessions,
		SessionBytesPerCaller:    int(sessions.DefaultQuota().Bytes),
		DrainTimeout:             20 * time.Second,
	}
	return f
}

// settle fills in the defaults that follow from other keys.
func (f *File) settle() {
	if f.Spec.MaxMode == "" {
		f.Spec.MaxMode = f.Spec.Mode
	}
}
