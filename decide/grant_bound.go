package decide

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/hostname"
)

// toolGrant is bound to the definitions of the tool that people saw when they
// granted it. Grants of a context name none, and are not bound.
type toolGrant struct{ definitions []string }

// commandGrant is bound to the content of the files that the command runs; each
// version is one set of them. Grants of a context know of no content, so they
// stand for no command that runs a file.
type commandGrant struct{ versions []map[string]string }

func unboundTools(names []string) map[string]toolGrant {
	set := make(map[string]toolGrant, len(names))
	for _, name := range names {
		set[name] = toolGrant{}
	}
	return set
}

func unboundCommands(texts []string) map[string]commandGrant {
	set := make(map[string]commandGrant, len(texts))
	for _, text := range texts {
		set[text] = commandGrant{}
	}
	return set
}

// definitionChanged asks a person when a granted tool is no longer the one that
// was granted: a server can change what a name does after it was approved.
func definitionChanged(f *facts) (refusal, bool) {
	g, granted := f.session.grants.tools[f.call.Tool]
	if !granted || len(g.definitions) == 0 || slices.Contains(g.definitions, f.call.Metadata.Definition) {
		return refusal{}, false
	}
	return refusal{AskHuman, CodeDefinitionChanged, "the definition of the tool is not the one that was granted"}, true
}

// bindGrant is BindGrant for the facts of a session.
func (f *facts) bindGrant(g GrantSpec) (GrantSpec, error) {
	switch g.Kind {
	case GrantCommand:
		return f.bindCommand(g)
	case GrantDomain:
		entry, err := hostname.MintDomain(g.Value)
		if err != nil {
			return g, err
		}
		return GrantSpec{Kind: g.Kind, Value: entry.Host()}, nil
	case GrantTool:
		return f.bindTool(g)
	case GrantReadOnly:
		if g.Value != "" {
			return g, errors.New("a grant of this kind has no value")
		}
		return GrantSpec{Kind: g.Kind}, nil
	}
	return g, fmt.Errorf("%q is no kind of grant", clip(string(g.Kind)))
}

func (f *facts) bindCommand(g GrantSpec) (GrantSpec, error) {
	if strings.TrimSpace(g.Value) == "" {
		return g, errors.New("the command is empty")
	}
	f.call = Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(g.Value)})}
	f.classify()
	files, err := f.boundFiles()
	if err != nil {
		return g, err
	}
	return GrantSpec{Kind: g.Kind, Value: g.Value, Files: files}, nil
}

// bindTool refuses grants that would be for every command, every host or
// another system.
func (f *facts) bindTool(g GrantSpec) (GrantSpec, error) {
	if strings.TrimSpace(g.Value) == "" || strings.ContainsAny(g.Value, "*?[") {
		return g, errors.New("a grant is for one tool, by its name")
	}
	f.call = Call{Tool: g.Value}
	f.classify()
	switch {
	case f.runs:
		return g, errors.New("a grant for the tool would not cover its commands; grant the command")
	case f.connects():
		return g, errors.New("a tool of another system cannot be granted as a whole; mint a standing rule for a target")
	}
	return GrantSpec{Kind: g.Kind, Value: g.Value, Definition: g.Definition}, nil
}

// connects reports whether the tool acts in another system.
func (f *facts) connects() bool {
	return f.call.Metadata.Connector || f.call.fromMCP() || f.tool != nil && f.tool.connector
}
