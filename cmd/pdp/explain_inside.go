package main

import (
	"encoding/json"
	"slices"

	"github.com/agent-pdp/pdp/handlers"
	"github.com/agent-pdp/pdp/internal/policyfile"
	"github.com/agent-pdp/pdp/internal/programs"
)

// preciseOffline decides as the policy would if its matching were precise: the
// text that a shell is given is always judged so.
func (a *app) preciseOffline(f *policyfile.File, o handlers.Offline) (handlers.Offline, error) {
	precise := *f
	precise.Spec.CommandMatching = "precise"
	p, err := a.offline(&precise, "")
	p.InspectRoots, p.Explain = o.InspectRoots, true
	return p, err
}

// hasInside reports whether a shell is given a text.
func (e *explanation) hasInside() bool {
	return slices.ContainsFunc(e.Analysis.Commands, func(c explainedCommand) bool {
		_, _, ok := inlineText(c.Words)
		return ok
	})
}

// lookInside finds the commands of texts that shells are given, as in
// bash -lc 'git status && ls'. Each is asked about as a command of its own; it
// is shown what vouches for it, and nothing is decided by that.
func (e *explanation) lookInside(o handlers.Offline, body []byte) {
	var request map[string]json.RawMessage
	if json.Unmarshal(body, &request) != nil {
		return
	}
	var known []string
	for i := range e.Analysis.Commands {
		if e.Analysis.Opaque != "" { // such a text lists all that may run
			known = append(known, e.Analysis.Commands[i].text())
		}
	}
	look := insideLook{o, request, 16, known}
	for i := range e.Analysis.Commands {
		look.into(&e.Analysis.Commands[i], 3)
	}
}

type insideLook struct {
	offline handlers.Offline
	request map[string]json.RawMessage
	left    int      // texts that may still be looked at
	known   []string // commands that are shown anyway
}

func (l *insideLook) into(c *explainedCommand, depth int) {
	text, shell, ok := inlineText(c.Words)
	if !ok || depth == 0 || l.left == 0 {
		return
	}
	l.left--
	inner, ok := l.ask(text, shell)
	if !ok {
		return
	}
	c.opaqueInside = inner.Analysis.Opaque != ""
	for _, child := range inner.Analysis.Commands {
		if slices.Contains(l.known, child.text()) {
			continue
		}
		l.into(&child, depth-1)
		c.inside = append(c.inside, child)
	}
}

// inlineText finds the text of a shell, also behind wrappers.
func inlineText(words []string) (text, shell string, ok bool) {
	const wrappers = 4
	table := programs.Builtin()
	for range wrappers {
		if at, shell, ok := table.InlineText(words); ok {
			return words[at], shell, true
		}
		at, ok := table.Inner(words)
		if !ok {
			break
		}
		words = words[at:]
	}
	return "", "", false
}

// ask decides about a text under the same context.
func (l *insideLook) ask(text, shell string) (explanation, bool) {
	var context, call, arguments map[string]json.RawMessage
	if json.Unmarshal(l.request["context"], &context) != nil || context == nil ||
		json.Unmarshal(l.request["call"], &call) != nil || json.Unmarshal(call["arguments"], &arguments) != nil || arguments == nil {
		return explanation{}, false
	}
	if shell != "bash" && shell != "zsh" {
		shell = "posix"
	}
	context["shell"], arguments["command"] = mustJSON(shell), mustJSON(text)
	call["arguments"] = mustJSON(arguments)
	body := mustJSON(map[string]json.RawMessage{"context": mustJSON(context), "call": mustJSON(call)})
	answer, _, problem := l.offline.Decide(body)
	if problem != nil {
		return explanation{}, false
	}
	var e explanation
	return e, json.Unmarshal(answer, &e) == nil
}

// mustJSON is for what can always be written.
func mustJSON(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}
