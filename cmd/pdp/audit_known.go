package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/sessions"
	"github.com/agent-pdp/pdp/internal/store"
)

// outcomesOf are the outcomes of each kind of record. A filter that is in none of
// them would find nothing, and look as if nothing had happened.
var outcomesOf = map[audit.Kind][]string{
	audit.DecisionMade:     names(decide.Allow, decide.Ask, decide.Deny),
	audit.ApprovalOpened:   names(store.Pending),
	audit.ApprovalResolved: names(decide.Resolutions()...),
	audit.Granted:          names(decide.GrantKinds()...),
	audit.Revoked:          names(decide.GrantKinds()...),
	audit.SessionChanged:   {"created", "replaced", "changed", "deleted"},
	audit.PolicyChanged:    {"loaded", "refused"},
	audit.TokenChanged:     {"created", "revoked"},
	audit.Erased:           {"started", "erased"},
	audit.Pruned:           {"pruned"},
	audit.Refused:          {"deny"},
	audit.Reviewed:         names(sessions.ReviewAllow, sessions.ReviewDeny, sessions.ReviewUnsure),
	audit.LoggedOut:        nil, // a number
}

// names are values as they stand in records.
func names[T any](values ...T) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = fmt.Sprint(v)
	}
	return list
}

// known refuses a kind and an outcome that no record has. Outcomes are those of
// the kind, if one is named.
func (f *recordFlags) known() error {
	kinds := audit.Kinds()
	if f.Kind != "" {
		if !slices.Contains(kinds, audit.Kind(f.Kind)) {
			return fmt.Errorf("--kind %q: write one of %s", f.Kind, strings.Join(names(kinds...), ", "))
		}
		kinds = []audit.Kind{audit.Kind(f.Kind)}
	}
	if f.Outcome == "" || isCount(f.Outcome) && slices.Contains(kinds, audit.LoggedOut) {
		return nil
	}
	var outcomes []string
	for _, kind := range kinds {
		for _, outcome := range outcomesOf[kind] {
			if !slices.Contains(outcomes, outcome) {
				outcomes = append(outcomes, outcome)
			}
		}
	}
	switch {
	case slices.Contains(outcomes, f.Outcome):
		return nil
	case len(outcomes) == 0:
		return fmt.Errorf("--outcome %q: of the kind %s, it is the number of records that were lost", f.Outcome, f.Kind)
	case f.Kind != "":
		return fmt.Errorf("--outcome %q: of the kind %s, write one of %s", f.Outcome, f.Kind, strings.Join(outcomes, ", "))
	}
	return fmt.Errorf("--outcome %q: write one of %s", f.Outcome, strings.Join(outcomes, ", "))
}

func isCount(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
