package shell

import (
	"regexp"
	"strings"
	"testing"
)

// Texts run in real shells, so none may name a path outside the throw-away
// directory, reach a real program or end other processes. The filter errs on
// the side of leaving a text out.

var (
	absolute = regexp.MustCompile(`(^|[\s"'=:<>(|;&,])/+([A-Za-z0-9._-])`)
	devNull  = regexp.MustCompile(`/dev/null($|[\s;&|)'"}<>])`)
	// A slash may follow a plain relative path and nothing else.
	plainSlash = regexp.MustCompile(`(^|[\s"'=:<>(|;&,{])(\./|[A-Za-z0-9_@%+.*?\[\]-]+/|~/|"?\$(HOME|PWD)"?/|"?\$\{(HOME|PWD)\}"?/)([A-Za-z0-9_@%+.*?\[\]{},-]+/)*`)
	escaped    = regexp.MustCompile(`\\0?57|\\+x2[fF]|\\[uU]0*2[fF]`)
	// After quotes and backslashes are gone.
	climbing = regexp.MustCompile(`(^|[^.A-Za-z0-9_])\.\.($|[^.A-Za-z0-9_])`)
	others   = regexp.MustCompile(`(^|[^A-Za-z0-9_.@)}-])~[A-Za-z_+-]|kill|suspend|zmodload|(unset|typeset|declare|local|readonly|-u)\b.*PATH|command.*-[a-zA-Z]*p|enable.*-f|BASH_|OLDPWD|/dev/(tcp|udp)|mapfile.*-C|cd\s+-($|[^a-zA-Z])`)
)

// relative turns absolute paths into relative ones, apart from /dev/null.
func relative(text string) string {
	text = devNull.ReplaceAllString(text, "\x00$1")
	text = absolute.ReplaceAllString(text, "$1$2")
	return strings.ReplaceAll(text, "\x00", "/dev/null")
}

// contained reports whether a text is certain to stay in its directory.
func contained(text string) bool {
	bare := strings.NewReplacer("'", "", `"`, "", "\\\n", "", `\`, "").Replace(text)
	if escaped.MatchString(text) || climbing.MatchString(bare) || others.MatchString(bare) || strings.Contains(text, "\x00") {
		return false
	}
	rest := devNull.ReplaceAllString(text, "$1")
	for rest != "" {
		before, _, found := strings.Cut(rest, "/")
		if !found {
			return true
		}
		at := plainSlash.FindStringIndex(rest)
		if at == nil || at[0] > len(before) || at[1] <= len(before) {
			return false
		}
		// The character in front of the path may be its quote; what is
		// behind the last slash is still to be read.
		rest = "a" + rest[at[1]:]
	}
	return true
}

func TestContained(t *testing.T) {
	for _, row := range []struct {
		text string
		want bool
	}{
		{"git status", true},
		{"go test ./... 2>&1 | tail -5", true},
		{"ls > /dev/null 2>&1", true},
		{"cat sub/a/b 'sub/c' ./d", true},
		{"for f in sub/*; do cat \"$f\"; done", true},
		{"cat ~/a $HOME/b", true},
		{"/bin/rm x", false},
		{"ls /", false},
		{"ls > /etc/passwd", false},
		{"ls >/dev/null/../../etc/passwd", false},
		{"cat ../x", false},
		{"cd ..", false},
		{"cd .''.", false},
		{"cd .\\\n.", false},
		{"cd sub/..", false},
		{"$u/bin/rm", false},
		{"a$u/bin/rm", false},
		{"''/bin/rm", false},
		{`\/bin/rm`, false},
		{`$'\57bin\57rm'`, false},
		{`$'\x2fbin/rm'`, false},
		{"`x`/bin", false},
		{"{,/}bin", false},
		{"cat ~root/x", false},
		{"git log HEAD~1 a~b", true},
		{"command -p rm", false},
		{"k''ill -9 -1", false},
		{"unset PATH; rm", false},
		{"cat <a/../../b", false},
	} {
		if contained(row.text) != row.want {
			t.Errorf("%q: want %v", row.text, row.want)
		}
	}
	for text, want := range map[string]string{
		"cd /proj/app && ls >/dev/null":   "cd proj/app && ls >/dev/null",
		`cat "/etc/passwd" --file=/tmp/x`: `cat "etc/passwd" --file=tmp/x`,
	} {
		if got := relative(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
