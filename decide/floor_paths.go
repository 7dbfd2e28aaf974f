package decide

import "strconv"

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
		for i := range f.targets() {
			t := &f.written[i]
			if t.err != nil {
				continue
			}
			if r, hit := f.deferred(t.given, t.abs, t.resolved.Path); hit {
				return r, true
			}
		}
	}
	if f.runs {
		for _, w := range f.shellWrites() {
			if r, hit := f.deferred(w.given, w.abs, w.resolved.Path); hit {
				return r, true
			}
		}
	}
	return refusal{}, false
}

func (f *facts) deferred(given, abs, resolved string) (refusal, bool) {
	rule, hit := f.policy.deferred.Match(resolved)
	if !hit && abs != resolved {
		rule, hit = f.policy.deferred.Match(abs)
	}
	if !hit {
		return refusal{}, false
	}
	return refusal{AskHuman, CodeDeferredExecution, strconv.Quote(clip(given)) + " runs later by itself: " + rule.Reason}, true
}
