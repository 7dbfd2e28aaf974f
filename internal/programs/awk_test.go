package programs_test

import (
	"testing"

	"github.com/agent-pdp/pdp/internal/programs"
)

// A > of awk writes behind print only.
func TestAwkCompares(t *testing.T) {
	for _, script := range []string{
		`NR>1 {print $1}`, `$3 > 10`, `{if ($1 > 3) print}`, `{if ($1 > 3) print; else if ($2 > 4) print $2}`, `$1 > 3 || $2 > 4 {print $1}`, `{print ($1 > 3)}`,
		`{print $1} $2 > 3 {n++} END {print n}`, `{printf("%s\n", $1); if ($2 >= 3) n++}`, `NR>1 && /x/ {print}`, "{print \"a\"\n}\n$1>2{n++}", `{n = $1 > 2 ? 1 : 0; print n}`, `/a>b/`, `NR>1 {print "#"}`,
	} {
		if _, ok := programs.Builtin().Vouch([]string{"awk", script, "f"}, 1, programs.Precise); !ok {
			t.Errorf("%q asks", script)
		}
	}
	for _, script := range []string{
		`{print > "x"}`, `{print $1 > $2}`, `{print >> "x"}`, `{print "a;" > "x"}`, `{print "}" > "x"}`, `{print (1) > "x"}`, `{printf("%s", $1) > "x"}`, `{print ($1 > 3) > "x"}`, `{for (print > "x";;) exit}`, `{for (;;print 1) print > "x"}`,
		"{print 1,\n2 > \"x\"}", "{print 1 \\\n > \"x\"}", "{print 1 &&\n2 > \"x\"}", "{print 1 || \n2 > \"x\"}", "{print 1, # c\n2 > \"x\"}", `{print /;/ > "x"}`, `/"/ {print 1; print "" > "x"}`, `{print "\"" > "x"}`, `{print "\\" > "x"}`, `{print "(" > "x"}`,
		`{if(1)print>"x"}`, `$1>1{print>"x"}`, `{print|||"sh"}`, `{print | "sh"}`, `{print |& "sh"}`, `{print "a" || "sh" | "sh"}`, `{print a[1] > "x"}`, `{print (1)")" > "x"}`, "{print \"a\\\n;\" > \"x\"}",
	} {
		if _, ok := programs.Builtin().Vouch([]string{"awk", script, "f"}, 1, programs.Precise); ok {
			t.Errorf("%q runs", script)
		}
	}
	for text, want := range map[string]bool{
		`awk -F'>' '{print $2}' f`: true, `awk -F '>' '{print $2}' f`: true, `gawk -e 'BEGIN{print 1,' -e '2 > "x"}'`: false, `awk '{print}' '>'`: false,
	} {
		if got := vouched(t, "awk", text, programs.Strict) || vouched(t, "gawk", text, programs.Strict); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
