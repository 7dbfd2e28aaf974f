package decide

import (
	"strconv"

	"github.com/agent-pdp/pdp/internal/paths"
)

// writeScope refuses a write to a path that has no safe reading or that lies
// in no writable root.
func writeScope(f *facts) (refusal, bool) {
	if !f.writes {
		return refusal{}, false
	}
	targets := f.targets()
	for i := range targets {
		if err := targets[i].err; err != nil {
			return refusal{Deny, CodeInvalidPath, err.Error()}, true
		}
		held, ok := f.holder(targets[i].resolved.Path)
		if !ok || !held.writable {
			return refusal{Deny, CodeOutsideRoots, outsideReason(&targets[i], ok)}, true
		}
		if targets[i].tree {
			if r, hit := f.below(&targets[i]); hit {
				return r, true
			}
		}
	}
	// Lines of a hunk that look like the header of a protected file are refused,
	// although no applier takes them for one: about these files no answer is
	// laxer than that of the engine which did.
	if hit := f.protectedTarget(f.mentioned); hit != "" {
		return refusal{Deny, CodeSelfProtection, strconv.Quote(clip(hit)) + " governs what agents may do, and the diff names it"}, true
	}
	return refusal{}, false
}

// below refuses what happens to a whole directory and so to a protected file or
// a read-only root in it.
func (f *facts) below(t *target) (refusal, bool) {
	dir := paths.Fold(t.resolved.Path)
	for _, g := range f.guards() {
		if paths.Contains(dir, g.folded) || g.resolved != "" && paths.Contains(dir, g.resolved) {
			return refusal{Deny, CodeSelfProtection, strconv.Quote(clip(g.path)) + " governs what agents may do, and lies in " + strconv.Quote(clip(t.given))}, true
		}
	}
	for _, r := range f.allRoots() {
		if !r.writable && f.session.place.OS.Contains(t.resolved.Path, r.resolved) {
			return refusal{Deny, CodeOutsideRoots, strconv.Quote(clip(t.given)) + " holds a root that is read-only"}, true
		}
	}
	return refusal{}, false
}

func outsideReason(t *target, inside bool) string {
	given := strconv.Quote(clip(t.given))
	if inside {
		return given + " lies in a root that is read-only"
	}
	return given + " lies in no writable root"
}

// writeLocated asks a person about a write whose targets cannot all be told,
// since it cannot be scoped; also where links could not be seen.
func writeLocated(f *facts) (refusal, bool) {
	if !f.writes {
		return refusal{}, false
	}
	f.targets()
	if f.unlocated != "" || len(f.written) == 0 {
		why := f.unlocated
		if why == "" {
			why = "the call names no path"
		}
		return refusal{AskHuman, CodeWriteUnlocated, "cannot tell which files would be written: " + why}, true
	}
	if f.session.pathsMode == PathsLexical && !f.policy.trustText {
		return refusal{AskHuman, CodeWriteUnlocated, "the files are not on this machine, so links in the path cannot be seen"}, true
	}
	return refusal{}, false
}

// linkedFile asks a person about a write to a file with other names: one of
// them may lie outside every root.
func linkedFile(f *facts) (refusal, bool) {
	if !f.writes {
		return refusal{}, false
	}
	for i := range f.targets() {
		if t := &f.written[i]; t.err == nil && t.resolved.Regular && t.resolved.Links > 1 {
			return refusal{AskHuman, CodeLinkedFile, strconv.Quote(clip(t.given)) + " is a file with other names (hard links)"}, true
		}
	}
	return refusal{}, false
}

// deferredExecution asks a person about files that run, or instruct an agent,
// on a later action. The path counts as given, too: a hooks directory that is
// a link is still the hooks directory.
func deferredExecution(f *facts) (refusal, bool) {
	if f.writes {
		for _, list := range [...][]target{f.targets(), f.mentioned} {
			for i := range list {
				if r, hit := f.deferred(&list[i]); hit {
					return r, true
				}
			}
		}
	}
	for _, t := range f.landings() {
		if r, hit := f.deferred(&t); hit {
			return r, true
		}
	}
	if f.runs {
		if rule, hit := f.writtenInCode(&f.policy.deferred); hit {
			return refusal{AskHuman, CodeDeferredExecution, "code in the command may write " + strconv.Quote(clip(rule.Pattern)) + ", which runs later by itself: " + rule.Reason}, true
		}
		words := f.shellWrites()
		for i := range words {
			f.spend(ruleSteps)
			if r, hit := f.deferred(&words[i].target); hit {
				return r, true
			}
			for _, form := range f.forms(&words[i]) {
				if f.looked++; f.looked > maxLooked || !f.spend(patternSteps) && f.looked > unreadWords {
					f.seenAll = false
					break
				}
				if rule, hit := f.policy.deferred.Overlaps(form); hit {
					return refusal{AskHuman, CodeDeferredExecution, strconv.Quote(clip(words[i].given)) + " may become a file that runs later by itself: " + rule.Reason}, true
				}
			}
		}
	}
	return refusal{}, false
}

func (f *facts) deferred(t *target) (refusal, bool) {
	if t.err != nil {
		return refusal{}, false
	}
	rule, hit := f.policy.deferred.Match(t.resolved.Path)
	if !hit && t.abs != t.resolved.Path {
		rule, hit = f.policy.deferred.Match(t.abs)
	}
	if !hit && t.tree {
		rule, hit = f.policy.deferred.Above(t.resolved.Path)
	}
	if !hit {
		rule.Reason, hit = f.inRepository(t)
	}
	if !hit {
		return refusal{}, false
	}
	return refusal{AskHuman, CodeDeferredExecution, strconv.Quote(clip(t.given)) + " runs later by itself: " + rule.Reason}, true
}
