package decide

import (
	"path/filepath"
	"strings"
	"testing"
)

// makeLink is the part of a diff that makes a link.
func makeLink(name, target string) string {
	return "diff --git a/" + name + " b/" + name + "\nnew file mode 120000\n--- /dev/null\n+++ b/" + name + "\n@@ -0,0 +1 @@\n+" + target + "\n\\ No newline at end of file\n"
}

func makeFile(name string) string {
	return "diff --git a/" + name + " b/" + name + "\nnew file mode 100644\n--- /dev/null\n+++ b/" + name + "\n@@ -0,0 +1 @@\n+x\n"
}

// What a patch writes through links that it makes itself lands where they lead.
func TestLinksThatAPatchMakes(t *testing.T) {
	base := tree(t, map[string]string{"app/.git/config": "[core]\n\thooksPath = tools/hooks\n", "app/sub/x": "", "out/x": ""})
	decide := bypass(t, filepath.Join(base, "app"))
	chain := ""
	for i := range 20 {
		chain += makeLink("c/"+strings.Repeat("l", i+1), strings.Repeat("l", i+2))
	}
	many, files := "", ""
	for i := range maxPatchLinks + 1 {
		many += makeLink("m"+strings.Repeat("/l", i), ".")
		files += makeFile("l/f" + strings.Repeat("x", i))
	}
	for _, row := range []struct {
		name, diff string
		want       Code
	}{
		{"a link inside", makeLink("l", "sub") + makeFile("l/y"), CodeFullAccess},
		{"a link outside", makeLink("l", "../out"), CodeOutsideRoots},
		{"an absolute link outside", makeLink("l", base+"/out"), CodeOutsideRoots},
		{"one link through another", makeLink("l", "sub") + makeLink("l/m", "../..") + makeFile("l/m/y"), CodeOutsideRoots},
		{"a link to the hooks", makeLink("l", "tools/hooks"), CodeDeferredExecution},
		{"upwards through a link", makeLink("sub/deep", "..") + makeFile("sub/deep/tools/hooks/pre-commit"), CodeDeferredExecution},
		{"a name made a link twice", makeLink("sub/l", "deep") + makeLink("sub/l", "../tools/x") + makeFile("sub/l/../hooks/pre-commit"), CodeDeferredExecution},
		{"a chain that is too long", chain + makeFile("c/l/y"), CodeWriteUnlocated},
		{"more links than are followed, and a file outside", many + makeFile("../out/y"), CodeOutsideRoots},
		{"more links than are followed, and a hook", many + makeFile("tools/hooks/y"), CodeWriteUnlocated},
		{"more links than are followed, one outside", many + makeLink("y", "../out"), CodeWriteUnlocated},
		{"more places than are followed, and a file outside", makeLink("l", "sub") + files + makeFile("../out/y"), CodeOutsideRoots},
		{"a loop", makeLink("a", "b") + makeLink("b", "a") + makeFile("a/y"), CodeWriteUnlocated},
		{"a link with no target", strings.Replace(makeLink("l", "sub"), "+sub\n", "+\n", 1), CodeWriteUnlocated},
	} {
		if d := decide("apply_unified_diff", "diff", row.diff); d.Code != row.want {
			t.Errorf("%s: got %s (%s), want %s", row.name, d.Code, d.Reason, row.want)
		}
	}
}
