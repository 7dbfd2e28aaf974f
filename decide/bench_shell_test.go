package decide

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkShell is what everyday commands cost in all, under a list of 1,000
// entries.
func BenchmarkShell(b *testing.B) {
	const pipeline = `git log --oneline --since="2 weeks ago" --grep='fix\|feat' -- src/server/handlers internal/store 2>&1 | ` +
		`grep -v -e "Merge branch 'main'" -e 'chore(deps): bump' | sort -k2 -t' ' -u | ` +
		`head -n 40 && go test -count=1 -run 'TestDecide|TestPlan' ./internal/server/... ./internal/store/... 2>&1 | tail -n 30`
	for _, row := range []struct{ name, matching, command string }{
		{"status/strict", "strict", "git status"},
		{"status/precise", "precise", "git status"},
		{"pipeline/precise", "precise", pipeline},
	} {
		p, err := Compile(shellBenchSpec(row.matching))
		if err != nil {
			b.Fatal(err)
		}
		s := benchSession(b, p, ContextSpec{WorkspaceRoot: "/w"})
		call := Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(row.command)})}
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r := NewRecord(p.Decide(s, call)); r.Code != CodeCommandAllowlisted {
					b.Fatal(r.Code, r.Reason)
				}
			}
		})
	}
}

func shellBenchSpec(matching string) PolicySpec {
	spec := PolicySpec{InlineContext: "trust", Home: "/home/me", CommandMatching: matching, AllowedCommands: []string{
		"git status", "git log", "grep", "sort", "head", "tail", "go test", "cat", "echo", "a", "ls",
	}}
	for i := range 1000 - len(spec.AllowedCommands) {
		spec.AllowedCommands = append(spec.AllowedCommands, fmt.Sprintf("tool%d run%d", i, i))
	}
	return spec
}

// hostileTexts are what somebody would send to make the readers slow: each is a
// beginning that is said once and a piece that is repeated up to the length,
// in which # is the number of the repetition.
var hostileTexts = []struct{ name, begin, piece, end string }{
	{"parentheses", "", "(", ""},
	{"subshells", "", "(a);", ""},
	{"single quotes", "", `'"'`, ""},
	{"quoted words", "echo", ` "a#"`, ""},
	{"substitutions", "", "$(", ""},
	{"substitutions in words", "echo", ` "$(a)"`, ""},
	{"backticks", "", "`", ""},
	{"backticks in words", "echo", " `a`", ""},
	{"here-documents", "", "cat <<'A'\nx\nA\n", ""},
	{"open here-documents", "", "cat <<A\n", ""},
	{"here-documents of a line", "cat", " <<A#", "\nx\n"},
	{"pipes", "a", "|a", ""},
	{"words", "cat", " d#", ""},
	{"paths", "cat", " d#/../d/./x", ""},
	{"written paths", "touch", " d#/x", ""},
	{"climbing", "cat ", "../", "x"},
	{"home", "cat", " ~/d#", ""},
	{"patterns", "cat", " d*/?#[a-z]*", ""},
	{"stars", "cat ", "*/", "x"},
	{"patterns in a full directory", "cat", " full/*#", ""},
	{"files that are there", "cat", " full/f#", ""},
	{"braces", "cat ", "{a,b}", ""},
	{"open braces", "cat ", "{a,", ""},
	{"brace words", "cat", " {a,b}{c,d}{e,f}#", ""},
	{"loops", "", "for i in a b; do ", ""},
	{"loops in a row", "", "for i in a b; do cat \"$i\"; done; ", ""},
	{"values of a loop", "for i in", " d#", "; do cat $i$i $i/$i x$i; done"},
	{"conditions", "", "if a; then ", ""},
	{"variables", "", "a=$a$a; ", "cat $a"},
	{"chained variables", "", "v#=$v$v; v=$v#$v#; ", "cat $v"},
	{"variables in words", "a=x; cat", " $a/$a", ""},
	{"assignments", "", "a#=x ", "a"},
	{"redirections", "a", " >d#", ""},
	{"descriptors", "a", " 2>&1", ""},
	{"directories", "", "cd d#; ", "cat x"},
	{"nested shells", "", `sh -c "`, ""},
	{"shells in a row", "", "sh -c 'cat x; touch d#/y'; ", ""},
	{"text for a shell", "sh -c '", "cat d#; ", "'"},
	{"wrappers", "", "env ", "a"},
	{"wrappers in a row", "", "timeout 5 nice a; ", ""},
	{"printed words", "echo", " d#", " | xargs rm"},
	{"aliases", "", "alias a#='cat x'; a#; ", ""},
	{"functions", "", "f#() { cat $1; }; f# x; ", ""},
	{"backslashes", "echo ", `\\`, ""},
	{"lines that go on", "echo", " \\\n", "a"},
	{"comments", "", "a # x\n", ""},
	{"addresses", "curl", " https://h#.example/x", ""},
	{"options", "git log", " --o#=x -p", ""},
	{"scripts", "sed", " -e s/a/b/w", ""},
	{"separators", "", ";&|", ""},
	{"bad bytes", "echo ", "\xff", ""},
	{"letters", "echo ", "ä", ""},
	{"ranges", "rm", " x{1..99}{a..z}", ""},
	{"ranges in a word", "rm x", "{1..9}", ""},
	{"ranges in a test", "[[ -f a ]] && rm", " {1..9}#{a..c}", ""},
	{"braces in braces", "rm ", "{a,", strings.Repeat("}", 40)},
	{"deep braces", "rm ", "{a,{b,{c,d}}}", ""},
	{"two loops", "for a in", " x#", "; do for b in 1 2 3 4 5 6 7 8 9; do rm $a$b; done; done"},
	{"two loops of many", "for a in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do for b in", " #", "; do rm $a$b; done; done"},
	{"printed patterns", "printf '", "%s", "' a b c | sh"},
	{"evaluated words", `eval "$(echo`, " a", `)"`},
	{"shells of find", "find .", ` -exec sh -c 'cat x' \;`, ""},
	{"tests", "", "[[ -f a# ]] && ", "a"},
	{"tests of patterns", "", "[[ $a == x*# ]] || ", "a"},
	{"field separators", "", "IFS=#; cat $a; ", "a"},
	{"directories of git", "", "git -C d# status; ", "a"},
	{"superusers", "", "sudo -u u# cat x; ", "a"},
	{"superusers within", "", "sudo ", "cat x"},
	{"cases", "", "case $a in x#*) cat y;; esac; ", "a"},
	{"arithmetic", "", "(( a# + 1 )); ", "a"},
	{"arrays", "", "a=(x y#); cat ${a[@]}; ", "a"},
	{"expansions", "cat", " ${a:-x#}", ""},
	{"expansions in expansions", "cat ", "${a:-", strings.Repeat("}", 40)},
	{"values of expansions", "", ": ${a#:=x}; ", "$a1 $a2"},
	{"open expansions", "", "${a#:=", "$a1"},
	{"other names", "", "declare -n a#=x; x=#; ", "$a1"},
	{"calls", "f() { shift; cat $1/$2 ${@:2}; }; ", "f a# b#; ", ""},
	{"a call", "f() { shift; cat $1/$2 ${@:2}; }; f", " a#", ""},
	{"subscripts", "", "test -v 'a[$(x#)]'; ", ""},
	{"open subscripts", "let '", "a[$(", "'"},
	{"tables of aliases", "", "BASH_ALIASES[a#]='cat x'; a#; ", ""},
	{"names of programs", "", "cp /bin/x a#; ./a# y; ", ""},
	{"names of names", "", "ln -s a# a; ln -s a a#; a y; ", "./a y"},
	{"many names of one", "", "ln -s a# a; ", "a y; a y; a y"},
	{"written scripts", "", "echo 'ls x' > a#.sh; sh a#.sh; ", ""},
	{"written variables", "", "x=a#; echo y > $x; sh $x; ", ""},
	{"a written makefile", "cat > Makefile <<'E'\n", "\t@x; $(shell y)\n", "E\nmake"},
	{"settings of git", "git", " -c core.pager=x#", " log"},
	{"runners", "", "conda run fd -x a#; ", ""},
	{"hosts in words", "acme", " a#=b.c#:d.e#@f.g#:h", ""},
	{"hosts in code", "python3 -c 'x'", ` "'a#.b'('c.d')"`, ""},
	{"hosts in input", "curl -K - <<'E'\n", "url = a#.b\n", "E\n"},
	{"hosts that are filled in", "x=a.b; curl", " $x.c#", ""},
	{"hosts of a loop", "for i in", " d#.e", "; do curl $i $i.f g.$i; done"},
	{"fields of a line", "", "read a# b# <<< 'x y z'; ", "cat $a1/$b1"},
	{"places of cd", "CDPATH=/a:/b:/c; ", "cd d#; ", "cat x"},
	{"logins", "", "sudo -i cat d#; ", ""},
	{"parts of a value", "x=" + strings.Repeat("a/", 30) + "; cat", " ${x:$((#))}", ""},
	{"changes that are put together", "c=cd; ", "$c d#; ", "cat x"},
	{"values for programs", "", "a=b#/c d; ", ""},
	{"elements", "a=(", " d#/x", "); cat ${a[*]} ${a[@]:1} ${a[1]}/${a[2]}"},
	{"positions", "set --", " a#", "; cat $1 $2 $@"},
	{"moved directories", "", "cd d#/.. && ", "cat x"},
	{"copies", "cp -r", " d#", " /w/out"},
	{"process substitutions", "cat", " <(a)", ""},
	{"reads", "", "while read -r a; do cat \"$a\"; done < d#; ", "a"},
	{"links in paths", "cat", " d#/./../d#/./x", ""},
	{"quoted letters", "cat", " $'\\x61#'", ""},
	{"exports", "", "export a#=x; ", "cat $a1"},
	{"traps", "", "trap 'cat x' EXIT; ", "a"},
	{"aliases of aliases", "alias a0=cat; ", "alias a#='a0 x'; ", "a1"},
	{"classes", "cat", " [[:alpha:]]#*", ""},
	{"extended patterns", "cat", " @(a|b#)*", ""},
	{"edits", "sed -i", " -e s/a#/b/", " x"},
	{"archives", "tar -cf x.tar", " d#", ""},
	{"commits", "git commit", " -m 'fix #'", ""},
	{"searches", "grep -r", " -e a#", " ."},
}

// hostile writes a text of about the length.
func hostile(begin, piece, end string, length int) string {
	var b strings.Builder
	b.WriteString(begin)
	for i := 0; ; i++ {
		next := strings.ReplaceAll(piece, "#", fmt.Sprint(i))
		if b.Len()+len(next)+len(end) > length {
			return b.String() + end
		}
		b.WriteString(next)
	}
}

var hostileKind = flag.String("hostile", "", "the only kind of text, or pair of kinds (a, b or a | b), that the benchmarks of hostile texts measure")

// BenchmarkHostile is what texts cost that were written to be slow: the time per
// operation is the processor's for the slowest kind, whose name is logged. The lengths are that of the
// longest text that is understood, of the longest that floors read to its end,
// and one that is refused unread.
func BenchmarkHostile(b *testing.B) {
	engine := newHostileEngine(b)
	for _, length := range []int{10_000, 128 << 10, 1 << 20} {
		b.Run(fmt.Sprint(length), func(b *testing.B) {
			type timed struct {
				Name string
				Best time.Duration
			}
			var kinds []timed
			var calls []Call
			for _, row := range hostileTexts {
				if *hostileKind == "" || *hostileKind == row.name {
					kinds = append(kinds, timed{row.name, time.Hour})
					text := hostile(row.begin, row.piece, row.end, length)
					calls = append(calls, Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(text)})})
				}
			}
			for b.Loop() {
				for i := range calls {
					kinds[i].Best = min(kinds[i].Best, engine.cost(calls[i]))
				}
			}
			slices.SortFunc(kinds, func(a, b timed) int { return cmp.Compare(b.Best, a.Best) })
			b.ReportMetric(float64(kinds[0].Best), "ns/op")
			b.Logf("slowest: %v", kinds[:min(len(kinds), 24)])
		})
	}
}

// hostileEngine is what hostile texts are decided by: policies in which every check
// has something to look for. The first denies, the second asks and so goes on to
// the last floor.
type hostileEngine []struct {
	policy  *Policy
	session Session
}

// cost is the processor's time for the slower policy.
func (e hostileEngine) cost(call Call) (most time.Duration) {
	for _, by := range e {
		most = max(most, processorTime(func() { by.policy.Decide(by.session, call) }))
	}
	return most
}

func newHostileEngine(b *testing.B) (e hostileEngine) {
	b.Helper()
	home := b.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "w", "full"), 0o700); err != nil {
		b.Fatal(err)
	}
	for i := range 2500 {
		if err := os.WriteFile(filepath.Join(home, "w", "full", fmt.Sprint("f", i)), nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for _, denies := range []bool{true, false} {
		spec := shellBenchSpec("precise")
		spec.Home = home
		restricts := &spec.Ask
		if denies {
			restricts = &spec.Deny
		}
		for i := range 100 {
			restricts.Paths = append(restricts.Paths, fmt.Sprintf("secret%d/*.txt", i), fmt.Sprintf("~/private%d", i))
			restricts.Commands = append(restricts.Commands, fmt.Sprintf("denied%d run", i))
			restricts.Domains = append(restricts.Domains, fmt.Sprintf("denied%d.example", i))
			spec.Ask.Paths = append(spec.Ask.Paths, fmt.Sprintf("asked%d", i))
		}
		for i := range 20 {
			spec.ProtectedPaths = append(spec.ProtectedPaths, fmt.Sprintf("~/.agent/settings%d.json", i))
		}
		p, err := Compile(spec)
		if err != nil {
			b.Fatal(err)
		}
		s := benchSession(b, p, ContextSpec{WorkspaceRoot: home + "/w", Home: home, Grants: GrantsSpec{ReadOnlyCommands: true}})
		e = append(e, struct {
			policy  *Policy
			session Session
		}{p, s})
	}
	return e
}
