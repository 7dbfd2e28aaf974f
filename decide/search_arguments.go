package decide

import (
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/shell"
)

// aimedAt reports a rule that a pattern of file names in the arguments is aimed
// at, from every directory in which it may start.
func (f *facts) aimedAt(lists *restrictLists) (string, bool) {
	n := f.namedPaths()
	rule, hit := "", false
	look := func(text string) {
		if hit || strings.HasPrefix(text, "!") || !strings.ContainsAny(text, "*?[{") {
			return
		}
		abs, err := f.session.place.Absolute(text)
		if err != nil {
			return
		}
		forms, all := shell.Braces(abs)
		if f.looked += len(forms); f.looked > maxLooked || !all {
			rule, hit = "of "+text+", which stands for too many names to look at", true
			return
		}
		for _, rules := range f.readings(lists) {
			for _, form := range forms {
				if r, ok := rules.Match(form); ok {
					rule, hit = r.Pattern, true
				} else if r, ok := rules.Aimed(form); ok {
					rule, hit = r.Pattern, true
				}
			}
		}
	}
	each := func(text string) {
		look(text)
		n.starts.each(text, look)
	}
	for _, text := range n.globs {
		each(text)
		if strings.ContainsAny(text, ", ;\n") { // several; the commas in braces are none between them
			list := strings.FieldsFunc(text, func(r rune) bool { return r == ';' || isBlank(r) })
			each("{" + strings.Join(list, ",") + ",}")
			for one := range strings.SplitSeq(strings.Join(list, ","), ",") {
				each(one)
			}
		}
	}
	for _, text := range n.paths {
		each(text)
	}
	return rule, hit
}

// revisionNames hold a revision of a repository, and with a colon a file in it.
var revisionNames = wordSet(`revision revisions rev revs ref refs commit commits object objects treeish spec refspec revspec revisionrange blob sha tree target
	base head`)

// readsRepository reports a tool whose name says that it asks a version control
// system.
func readsRepository(tool string) bool {
	_, bare := splitToolName(tool)
	return slices.ContainsFunc(nameWords(bare), func(w string) bool { return w == "git" || w == "vcs" || w == "jj" || w == "hg" || w == "svn" })
}

// inRevisions are files that the arguments name in a revision: HEAD:x, --
// x, :(top)x.
func (f *facts) inRevisions() []string {
	r := revisionSearch{all: readsRepository(f.call.Tool)}
	r.object(f.call.Arguments)
	return r.files
}

type revisionSearch struct {
	all   bool // every argument may hold revisions
	json  argumentWalk
	files []string
}

func (r *revisionSearch) object(v Value) {
	for i := range v.members {
		m := &v.members[i]
		if name := plainName(m.Name); !contentNames[name] && !strings.HasSuffix(name, "message") {
			r.value(m.Value, revisionNames[name])
		}
	}
}

func (r *revisionSearch) value(v Value, revision bool) {
	switch v.kind {
	case String:
		if inner, ok := r.json.json(v.text); ok {
			r.value(inner, revision)
		} else if r.all || revision {
			r.text(v.text)
		}
	case Object:
		r.object(v)
	case List:
		for i := range v.members {
			r.value(v.members[i].Value, revision)
		}
	}
}

func (r *revisionSearch) text(text string) {
	if strings.Contains(text, "://") {
		return
	}
	r.word(text)
	for word := range strings.FieldsFuncSeq(text, isBlank) {
		if len(word) < len(text) {
			r.word(word)
		}
	}
}

// word takes what may be a file, or a file behind each colon or a magic word.
func (r *revisionSearch) word(word string) {
	if r.all {
		r.add(word)
		if _, value, ok := strings.Cut(word, "="); ok {
			r.add(value)
		}
	}
	for range 3 { // :0:x, and a name that holds one itself
		_, behind, ok := strings.Cut(word, ":")
		if !ok {
			return
		}
		word = behind
		if strings.HasPrefix(word, "(") {
			if _, behind, ok := strings.Cut(word, ")"); ok {
				word = behind
			}
		}
		r.add(word)
		r.add(strings.TrimLeft(word, "/"))
	}
}

func (r *revisionSearch) add(file string) {
	if file = strings.Trim(file, `"'`); file != "" && !slices.Contains(r.files[max(0, len(r.files)-4):], file) {
		r.files = append(r.files, file)
	}
}

// namedInRevision reports a rule that names a file which the arguments name in
// a revision.
func (f *facts) namedInRevision(lists *restrictLists) (string, bool) {
	const resolved, most = 200, 10_000 // files whose links are followed, and that are compared
	files := f.inRevisions()
	switch {
	case len(files) == 0:
		return "", false
	case len(files) > most:
		return "of more revisions than can be looked at", true
	}
	n := f.namedPaths()
	looked, rule, hit := 0, "", false
	look := func(text string) {
		if hit {
			return
		}
		t := target{given: text}
		var err error
		if t.abs, err = f.session.place.Absolute(text); err != nil {
			return
		}
		if looked++; looked <= resolved {
			if r, err := f.resolver().Resolve(t.abs); err == nil {
				t.resolved = r
			}
		}
		if rule, hit = f.matchPath(lists, &t); hit || looked > resolved || !strings.ContainsAny(text, "*?[") {
			return
		}
		for _, rules := range f.readings(lists) {
			if r, ok := rules.Aimed(t.abs); ok {
				rule, hit = r.Pattern, true
			}
		}
	}
	for _, text := range files {
		look(text)
		n.starts.each(text, look)
	}
	return rule, hit
}
