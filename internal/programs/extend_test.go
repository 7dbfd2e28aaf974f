package programs_test

import (
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/programs"
)

// spec reads "NAME… ; attribute: word… ; attribute"; a bar separates the commands
// of examples.
func spec(text string) programs.Spec {
	s := programs.Spec{Attributes: map[string][]string{}}
	for i, part := range strings.Split(text, ";") {
		words := strings.Fields(part)
		if i == 0 {
			s.Names = words
			continue
		}
		name, list := strings.TrimSuffix(words[0], ":"), words[1:]
		if name == "ok" || name == "ask" {
			list = strings.Split(strings.Join(list, " "), "|")
		}
		s.Attributes[name] = list
	}
	return s
}

func TestExtend(t *testing.T) {
	table, bad := programs.Builtin().Extend([]programs.Spec{
		spec("acme acme-dev; runs: plugin exec --hook; writes: -o --out; publishes: deploy; hosts: --target; files; suggest: 2; ok: acme list | acme -v list; ask: acme deploy | acme -vo x | acme --ou=x"),
		spec("acme/list; reads: -f"),
		spec("ls; writes: --record"),
		spec("git/status; runs: --hook; ask: git status --hook"),
		spec("git; hosts: --mirror-of"),
		spec("with-secrets; kind: wrapper; wraps: -p: --profile:"),
		spec("cluster; kind: launcher; reading: show; ok: cluster show x; ask: cluster apply"),
	})
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	for _, row := range []struct {
		n    int
		text string
		want bool
	}{
		{1, "acme list", true},
		{1, "acme deploy", false},
		{2, "acme deploy", true},
		{1, "acme-dev x -o f", false},
		{2, "acme list -f x", false},
		{1, "ls -la", true},
		{1, "ls --record", false},
		{1, "ls --rec", false},
		{2, "git status --hook", false},
		{2, "git status -s", true},
		{2, "git push --force", false},
		{2, "with-secrets ls --rec x", false},
		{2, "with-secrets ls", true},
		{1, "with-secrets ls", false},
		{4, "with-secrets -p x ls", true},
		{2, "cluster show x", true},
		{1, "cluster show x", false},
	} {
		if _, ok := table.Vouch(strings.Fields(row.text), row.n, programs.Precise); ok != row.want {
			t.Errorf("%q: %v", row.text, ok)
		}
	}
	if at, ok := table.Inner([]string{"with-secrets", "-p", "x", "ls"}); at != 3 || !ok {
		t.Errorf("the program is not found behind a new wrapper: %d", at)
	}
	if !table.Files([]string{"acme"}) || strings.Join(hosts(table, "acme", "--target=h"), " ") != "h" {
		t.Error("facts about a new program are lost")
	}
	if strings.Join(hosts(table, "git", "--mirror-of", "h", "h2:x"), " ") != "h h2" {
		t.Error("a known program's hosts are replaced, not extended")
	}
	if _, ok := programs.Builtin().Vouch([]string{"ls", "--record"}, 1, programs.Strict); !ok {
		t.Error("extending changes the table that was extended")
	}
	again, bad := table.Extend([]programs.Spec{spec("acme; harmless")})
	if len(bad) != 1 || again.Harmless([]string{"acme"}) {
		t.Error("an extended program is not a known one")
	}
}

// Rows are: a stanza, what the error names.
func TestExtendRefuses(t *testing.T) {
	for text, want := range map[string]programs.SpecError{
		"":                                  {},
		"sort; harmless":                    {Attribute: "harmless"},
		"sort; files":                       {Attribute: "files"},
		"git/push; stdin: data":             {Attribute: "stdin"},
		"git/push; words: x":                {Attribute: "words"},
		"rm; suggest: 1":                    {Attribute: "suggest"},
		"docker; reading: run":              {Attribute: "reading"},
		"sudo; wraps: -u:":                  {Attribute: "wraps"},
		"xargs; hands-over: -I:":            {Attribute: "hands-over"},
		"bash; kind: plain":                 {Attribute: "kind"},
		"cp; operands: write":               {Attribute: "operands"},
		"cp; outputs: none":                 {Attribute: "outputs"},
		"python3; runs: x":                  {Word: "python3"},
		"gsort; harmless":                   {Word: "gsort"},
		"gsed; kind: plain":                 {Attribute: "kind"},
		"git.exe; harmless":                 {Word: "git.exe"},
		"/bin/git; harmless":                {Word: "/bin/git"},
		"Acme; harmless":                    {Word: "Acme"},
		"--x; harmless":                     {Word: "--x"},
		"acme; colour: red":                 {Attribute: "colour"},
		"acme; kind: odd":                   {Attribute: "kind", Word: "odd"},
		"acme; options: sometimes":          {Attribute: "options", Word: "sometimes"},
		"acme; writes: reads=x":             {Attribute: "writes", Word: "reads=x"},
		"acme; runs: names-program":         {Attribute: "runs", Word: "names-program"},
		"acme; operands: read":              {Attribute: "operands", Word: "read"},
		"acme; wraps: program":              {Attribute: "wraps", Word: "program"},
		"acme; stdin: code":                 {Attribute: "stdin", Word: "code"},
		"acme; suggest: many":               {Attribute: "suggest", Word: "many"},
		"acme; harmless yes":                {Attribute: "harmless", Word: "yes"},
		"acme; wraps: operands=1":           {Attribute: "wraps"},
		"acme; hands-over: -x:":             {Attribute: "hands-over"},
		"acme; reading: show":               {Attribute: "reading"},
		"acme; ok: other x":                 {Attribute: "ok", Word: "other x"},
		"acme b; writes: -o; ask: b -o|c":   {Attribute: "ask", Word: "c"},
		"acme; runs: x; ok: acme x":         {Attribute: "ok", Word: "acme x"},
		"acme; runs: x; ask: acme x|acme y": {Attribute: "ask", Word: "acme x|acme y"},
	} {
		table, bad := programs.Builtin().Extend([]programs.Spec{spec("acme-ok; runs: x"), spec(text)})
		if len(bad) != 1 || bad[0].Index != 1 || bad[0].Attribute != want.Attribute || bad[0].Error() == "" || want.Word != "" && !strings.Contains("acme x|acme y "+want.Word, bad[0].Word) {
			t.Errorf("%q: %v", text, bad)
			continue
		}
		if _, ok := table.Vouch([]string{"acme-ok", "x"}, 1, programs.Strict); ok {
			t.Errorf("%q: a good stanza is lost beside a bad one", text)
		}
	}
}

func TestAnErrorTellsWhere(t *testing.T) {
	for _, row := range []struct{ stanza, pointer, text string }{
		{"a acme; kind: odd", "/0/kind/0", `kind: of a: "odd" is no kind`},
		{"acme b/c; stdin: code", "/0/stdin/0", `stdin: of acme: "code" means nothing here`},
		{"acme git; harmless", "/0/harmless", `harmless: of git: cannot be said`},
		{"acme; writes: -o; ok: acme x|acme -o f", "/0/ok/1", `ok: of acme: "acme -o f" would ask under the entry "acme"`},
		{"acme; ask: acme x", "/0/ask/0", `ask: of acme: "acme x" would run under the entry "acme"`},
		{"acme; wraps: -x", "/0/wraps", "wraps: of acme: says nothing of a plain program; add kind: wrapper"},
		{"acme Acme; harmless", "/0/names/1", `"Acme" goes by another name here; write acme`},
		{"/bin/git; harmless", "/0/names/0", `"/bin/git" is a path; write the program's plain name`},
		{"", "/0/names", "no program is named; write names: [acme]"},
	} {
		_, bad := programs.Builtin().Extend([]programs.Spec{spec(row.stanza)})
		if len(bad) != 1 || bad[0].Pointer() != row.pointer || !strings.HasPrefix(bad[0].Error(), row.text) {
			t.Errorf("%q: %v", row.stanza, bad)
			continue
		}
	}
}

// No extension may make a program that is known answer more laxly.
func FuzzExtend(f *testing.F) {
	f.Add("git; runs: none-but push; options: -c: before-operands", "git -c x push")
	f.Add("sort/x; writes: -o?", "sort -uo x f")
	f.Add("s; harmless", "gsort -o x")
	f.Add("pytho; kind: plain", "python3 -c x")
	f.Add("x; kind: wrapper; wraps: strict", "x rm -rf")
	f.Fuzz(func(t *testing.T, stanza, text string) {
		words := strings.Fields(text)
		if len(words) == 0 || len(words) > 50 {
			return
		}
		s := programs.Spec{Attributes: map[string][]string{}}
		for i, part := range strings.Split(stanza, ";") {
			list := strings.Fields(part)
			switch {
			case i == 0:
				s.Names = list
			case len(list) > 0:
				s.Attributes[strings.TrimSuffix(list[0], ":")] = list[1:]
			}
		}
		base := programs.Builtin()
		table, _ := base.Extend([]programs.Spec{s})
		for n := 1; n <= len(words); n++ {
			for _, m := range []programs.Matching{programs.Strict, programs.Precise} {
				_, before := base.Vouch(words, n, m)
				_, after := table.Vouch(words, n, m)
				// A word that named nothing may become a wrapper, which is another
				// matter, but it was vouched for before.
				if after && !before {
					t.Errorf("%q makes %q vouched for (%d words)", stanza, words, n)
				}
			}
		}
		if base.Name(words[0]) != words[0] && table.Name(words[0]) != base.Name(words[0]) && base.Kind(words[0]) != programs.Plain {
			t.Errorf("%q renames %q", stanza, words[0])
		}
		for _, is := range []func(*programs.Table, []string) bool{(*programs.Table).Harmless, (*programs.Table).StdinData, (*programs.Table).ReadOnly} {
			if programs.Builtin().Name(words[0]) == "sort" && !is(base, words) && is(table, words) {
				t.Errorf("%q loosens %q", stanza, words)
			}
		}
	})
}

// FuzzWords holds the answers against each other for any words.
func FuzzWords(f *testing.F) {
	for _, text := range []string{"git push", "timeout 5 ls", "xargs -0 rm x", "npx @a/b@1 x", "curl -x p h", "tar czf", "python3 -m", "sort -", "env A=", "kubectl get", "date +%", "find -exec", "cp -t", "socat - TCP:", "git config -f", "nice -", "uv run uv tool uv run x", "bash -c", "--", "@ x", "sed w", "npx @"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Split(text, " ")
		if len(words) > 200 {
			return
		}
		table := programs.Builtin()
		for n := 0; n <= len(words)+1; n++ {
			found, strict := table.Vouch(words, n, programs.Strict)
			_, precise := table.Vouch(words, n, programs.Precise)
			if strict && !precise {
				t.Errorf("%q %d: strict is laxer than precise", words, n)
			}
			if !strict && (found.Effect == programs.None || found.Index < 0 || found.Index >= len(words)) {
				t.Errorf("%q %d: refused for %v at %d", words, n, found.Effect, found.Index)
			}
		}
		if at, ok := table.Inner(words); ok && (at < 1 || at >= len(words)) {
			t.Errorf("%q: the program is word %d", words, at)
		}
		if n, ok := table.Suggest(words); ok {
			if _, vouched := table.Vouch(words, n, programs.Precise); !vouched {
				t.Errorf("%q: the suggestion of %d words does not vouch", words, n)
			}
		}
		for range table.Roles(words) {
		}
		for i := range words {
			table.Pattern(words, i)
			table.Text(words, i)
		}
		table.InlineText(words)
		table.Given(words)
		table.Executed(words)
		table.ListsFiles(words)
		table.PassesNames(words)
		table.Writer(words)
		table.RunsFile(words)
		table.MayRun(words)
		table.RunsText(words)
		table.ReadOnly(words)
		table.Reads(words)
		table.Hosts(words)
		table.PlainWords(words)
		table.Harmless(words)
	})
}

func TestNothingKnownVouchesForNothing(t *testing.T) {
	for _, table := range []*programs.Table{nil, {}} {
		if _, ok := table.Vouch([]string{"ls"}, 1, programs.Strict); ok {
			t.Error("an empty table vouches")
		}
		words := []string{"timeout", "5", "ls", "-x"}
		if _, ok := table.Inner(words); ok || table.Harmless(words) || table.Files(words) || table.PlainWords(words) || table.ReadOnly(words) || table.StdinData(words) {
			t.Error("an empty table knows something")
		}
		if _, ok := table.Suggest(words); ok {
			t.Error("an empty table suggests something")
		}
		table.Hosts(words)
		table.Writer(words)
		table.RunsFile(words)
		table.MayRun(words)
		for range table.Roles(words) {
		}
		extended, bad := table.Extend([]programs.Spec{spec("acme; runs: x")})
		if _, ok := extended.Vouch([]string{"acme", "y"}, 1, programs.Strict); !ok || len(bad) > 0 {
			t.Error("an empty table cannot be extended")
		}
	}
}

func TestVouchDoesNotAllocate(t *testing.T) {
	table := programs.Builtin()
	for _, text := range []string{"git status", "sort -u f", "docker ps -a", "timeout 5 go test ./...", "python3 -m pytest -q"} {
		words := strings.Fields(text)
		for _, m := range []programs.Matching{programs.Strict, programs.Precise} {
			if n := testing.AllocsPerRun(100, func() { table.Vouch(words, min(2, len(words)), m) }); n > 0 {
				t.Errorf("%q: %v allocations", text, n)
			}
		}
	}
}

func BenchmarkVouch(b *testing.B) {
	table := programs.Builtin()
	for _, text := range []string{"git status", "git log --oneline -5", "go test -run TestX -count=1 ./...", "timeout 5 go test ./...", "curl -fsSL https://example.com/x", "ls -la"} {
		words := strings.Fields(text)
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				table.Vouch(words, 1, programs.Precise)
			}
		})
	}
}

func hosts(table *programs.Table, words ...string) []string {
	list, _ := table.Hosts(words)
	return list
}
