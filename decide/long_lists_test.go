package decide

import (
	"fmt"
	"strings"
	"testing"
)

// What stands behind more words than are looked at is not lost: the command
// counts as not seen whole.
func TestLongListsHideNothing(t *testing.T) {
	p, err := Compile(PolicySpec{InlineContext: "trust", MaxMode: "bypass-approvals", Deny: ListsSpec{Commands: []string{"git push"}}})
	if err != nil {
		t.Fatal(err)
	}
	bypass := "bypass-approvals"
	s, err := p.Session(ContextSpec{WorkspaceRoot: t.TempDir(), Mode: &bypass})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 62, 63, 64, 65, 70, 127, 128, 129, 255, 256, 257, 300} {
		var many strings.Builder
		for i := range n {
			fmt.Fprintf(&many, "a%d ", i)
		}
		for _, form := range []string{
			`for f in LIST HOOK; do touch $f; done`,
			`for f in LIST "$x" HOOK; do touch "$f"; done`,
			`echo LIST HOOK | xargs touch`,
			`printf '%s\n' LIST HOOK | xargs touch`,
			`echo LIST HOOK | xargs -I{} touch {}`,
			`echo LIST HOOK | while read f; do touch $f; done`,
			`set -- LIST HOOK; touch "$@"`,
			`f() { touch "$@"; }; f LIST HOOK`,
			`bash -c 'touch "$@"' x LIST HOOK`,
			`a=(LIST HOOK); touch "${a[@]}"`,
			`find LIST .git/hooks -name x | xargs touch`,
			`touch $(echo LIST HOOK)`,
			`touch LIST HOOK`,
			`for c in LIST push; do git $c; done`,
			`printf '%s\n' LIST 'git push' | sh`,
			`for c in LIST 'git push'; do $c; done`,
		} {
			text := strings.NewReplacer("LIST", strings.TrimSpace(many.String()), "HOOK", ".git/hooks/x").Replace(form)
			d := p.Decide(s, Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(text)})})
			if d.Outcome == Allow {
				t.Errorf("%d words, %s: allowed", n, form)
			}
		}
	}
}
