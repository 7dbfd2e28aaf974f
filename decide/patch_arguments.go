package decide

import (
	"slices"
	"strings"
)

// patchSearch looks in the arguments of a write tool for patches beside the one
// that it is known to apply: an applier may take another argument, and a diff for
// one file may name another in its headers.
type patchSearch struct {
	*facts
	own  string // the argument that holds the tool's patch and is read already
	all  bool   // the tool applies patches, so any text may be one
	left int    // texts that are read
	json argumentWalk
}

const maxPatches = 256 // of one call

func (f *facts) otherPatches() {
	tool := f.writer()
	if tool == nil {
		return
	}
	p := patchSearch{facts: f, left: maxPatches}
	if p.all = tool.content != noPatch; p.all {
		p.own = string(tool.pathArgs[0])
	} else if len(f.call.Arguments.members) > 1 {
		p.all = namesPatch(f.call.Tool)
	}
	for i := range f.call.Arguments.members {
		m := &f.call.Arguments.members[i]
		if m.Name != p.own || m.Value.kind != String {
			p.member(m, p.all)
		}
	}
	if p.json.tooMany {
		p.unlocated = errTooManyPaths.Error()
	}
}

// namesPatch reports a tool's name that speaks of diffs or patches.
func namesPatch(tool string) bool {
	if folded := foldName(tool); !strings.Contains(folded, "diff") && !strings.Contains(folded, "patch") {
		return false
	}
	_, bare := splitToolName(tool)
	return slices.ContainsFunc(nameWords(bare), holdsPatch)
}

// holdsPatch reports whether an argument's plain name says that it holds a patch.
func holdsPatch(plain string) bool {
	for _, end := range [...]string{"diff", "diffs", "patch", "patches", "patchtext", "patchcontent", "patchstring"} {
		if strings.HasSuffix(plain, end) {
			return true
		}
	}
	return false
}

// member takes an argument; patch says that any text in it may be one.
func (p *patchSearch) member(m *Member, patch bool) {
	name := plainName(m.Name)
	switch {
	case p.own != "" && stripNames[name] && m.Value.Text() != "0" && m.Value.Text() != "1":
		p.unlocated = "the argument " + clip(m.Name) + " changes how many leading directories are dropped"
	case patch || holdsPatch(name):
		p.value(m.Value, true)
	case !contentNames[name]:
		p.value(m.Value, false)
	}
}

func (p *patchSearch) value(v Value, patch bool) {
	switch v.kind {
	case String:
		if inner, ok := p.json.json(v.text); ok {
			p.value(inner, patch)
		}
		if patch && hasHeader(v.text) {
			p.read(v.text)
		}
	case Object:
		for i := range v.members {
			p.member(&v.members[i], patch)
		}
	case List:
		for i := range v.members {
			p.value(v.members[i].Value, patch)
		}
	}
}

// hasHeader reports whether a text may hold the header of a patch.
func hasHeader(text string) bool {
	for _, mark := range [...]string{"+++", "---", "***", "diff ", "Index:", "rename ", "copy "} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

func (p *patchSearch) read(text string) {
	if p.left--; p.left < 0 {
		p.unlocated = "the call holds more patches than can be looked at"
		return
	}
	for _, kind := range [...]patchKind{codexPatch, unifiedDiff} {
		p.readPatch(text, kind)
	}
}
