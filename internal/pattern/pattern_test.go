package pattern

import (
	"strings"
	"testing"
)

func TestGlob(t *testing.T) {
	for _, row := range []struct {
		glob Glob
		text string
		want bool
	}{
		{"mcp__docs__*", "mcp__docs__search", true},
		{"mcp__docs__*", "mcp__doc__search", false},
		{"*", "", true},
		{"*", "a/b\nc", true},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"a?c", "aéc", true},
		{"[ab]x", "bx", true},
		{"[!ab]x", "bx", false},
		{"[!ab]x", "cx", true},
		{"[a-c]x", "bx", true},
		{"[]a]x", "]x", true},
		{"[ab", "[ab", true},
		{"[ab", "a", false},
		{"A*", "abc", false},
		{"*a*b*c", "xxaxxbxxc", true},
		{"*a*b*c", "xxaxxbxx", false},
	} {
		if got := row.glob.Match(row.text); got != row.want {
			t.Errorf("%q matches %q: %v, want %v", row.glob, row.text, got, row.want)
		}
	}
}

func TestGlobIsNotExponential(t *testing.T) {
	glob := Glob(strings.Repeat("*a", 50) + "b")
	if glob.Match(strings.Repeat("a", 5000)) {
		t.Error("matched a text without b")
	}
}

func TestPaths(t *testing.T) {
	for _, row := range []struct {
		patterns string
		path     string
		want     bool
	}{
		{".git/hooks/", "/w/.git/hooks/pre-commit", true},
		{".git/hooks/", "/w/.GIT/Hooks/pre-commit", true},
		{".git/hooks/", "/w/.git/hooks", true},
		{".git/hooks/", "/w/x.git/hooks/y", false},
		{".git/modules/**/hooks/", "/w/.git/modules/a/b/hooks/x", true},
		{".git/modules/**/hooks/", "/w/.git/modules/hooks/x", true},
		{"Jenkinsfile", "/w/deep/jenkinsfile", true},
		{"Jenkinsfile", "/w/Jenkinsfile.md", false},
		{"*.pem", "/w/keys/a.pem", true},
		{"*.pem", "/w/a.pem.txt", false},
		{"~/.ssh", "/home/me/.ssh/id_rsa", true},
		{"~/.ssh", "/home/you/.ssh/id_rsa", false},
		{"/etc/**", "/etc/passwd", true},
		{"/etc/**", "/w/etc/passwd", false},
		{"**/secret", "/w/a/secret", true},
		{".env.* !.env.example", "/w/.env.local", true},
		{".env.* !.env.example", "/w/.env.example", false},
		{"a/**/b/**/c", "/w/a/x/b/y/z/c", true},
		{"a/**/b/c", "/w/a/b/x/b/c", true},
		{"a/**/b/c", "/w/a/b/x/c", false},
		{"x/**/y/**/z", strings.Repeat("/x", 600) + strings.Repeat("/y", 600), false},
		{"/", "/w/a", true},
		{"/** !/w", "/w/a", false},
		{"/** !/w", "/v/a", true},
		{"**", "/w/a", true},
		{"~", "/home/me/x", true},
		{"~", "/home/you/x", false},
		{"{a,b}.txt", "/w/b.txt", true},
		{"{a,b}.txt", "/w/c.txt", false},
		{"*.{key,p{em,12}}", "/w/x.p12", true},
		{"*.{key,p{em,12}}", "/w/x.pkey", false},
		{"/w/{a,b/c}/d", "/w/b/c/d", true},
		{`\{a,b}`, "/w/{a,b}", true},
		{`\{a,b}`, "/w/a", false},
		{"{a}", "/w/{a}", true},
		{".env.* !.env.{example,sample}", "/w/.env.sample", false},
		{"src/*.go", "/w/src/a.go", true},
		{"src/*.go", "/w/src/b/a.go", false},
		{"deep", strings.Repeat("/d", 1500) + "/deep/x", true},
	} {
		var rules []Rule
		for _, p := range strings.Fields(row.patterns) {
			rules = append(rules, Rule{Pattern: p})
		}
		p, bad := CompilePaths(rules, "/home/me")
		if len(bad) > 0 {
			t.Fatalf("%s: %v", row.patterns, bad)
		}
		if _, got := p.Match(row.path); got != row.want {
			t.Errorf("%s matches %s: %v, want %v", row.patterns, row.path, got, row.want)
		}
	}
}

func TestUselessPatterns(t *testing.T) {
	for _, pattern := range []string{"", " ", "!", "a/../b", "[a", "**/**/a/**", "{a,}", "{a,b/../c}", strings.Repeat("{a,b}", 9)} {
		if _, bad := CompilePaths([]Rule{{Pattern: pattern}}, "/h"); len(bad) != 1 {
			t.Errorf("%q was accepted", pattern)
		}
	}
}

// A rule that would match less than its writer means is refused.
func TestForeignPatternsAreRefused(t *testing.T) {
	for pattern, refused := range map[string]bool{
		"secret[!a].txt":       true,
		"secret[[:digit:]].ls": true,
		"a[[.x.]]":             true,
		"a[[=x=]]":             true,
		"a[:digit:]":           true,
		"dir/[!.]*/x":          true,
		"secret[^a].txt":       false,
		"secret[0-9].txt":      false,
		`a\[!b`:                false,
		"really!":              false,
		"$HOME/.ssh":           true,
		"${XDG}/x":             true,
		"~root/.ssh":           true,
		"%APPDATA%/x":          true,
		"file:///etc/shadow":   true,
		`C:\secrets`:           true,
		`\\server\share`:       true,
		"@(a|b).pem":           true,
		"!(a).pem":             true,
		"{1..3}.txt":           true,
		`a\$HOME`:              false,
		"cash$":                false,
		"100%":                 false,
		"50% of 100% done":     false,
		"a (1).txt":            false,
		"C:/secrets":           false,
		"~backup":              false,
		`q\ `:                  false,
		"a:b//c":               false,
	} {
		_, wrong := CompilePaths([]Rule{{Pattern: pattern}}, "/home/u")
		if (wrong[0] != nil) != refused {
			t.Errorf("%s: %v", pattern, wrong[0])
		}
	}
}

func TestLinked(t *testing.T) {
	resolve := func(path string) string {
		if path == "/broken" {
			return ""
		}
		if path == "/Up" {
			return "/"
		}
		return strings.Replace(path, "/var/Run", "/run", 1)
	}
	for _, row := range []struct {
		patterns string
		path     string
		want     bool
	}{
		{"/var/Run/docker.sock", "/run/docker.sock", true},
		{"//var/./Run/docker.sock", "/run/docker.sock", true},
		{"/var/Run/docker.sock", "/run/docker", false},
		{"/var/Run/*.sock", "/run/x.sock", true},
		{"/var/Run/**/k", "/run/a/b/k", true},
		{"/var/Run/{a,b}", "/run/b", true},
		{"/var/Run", "/run/x", true},
		{"/var/Run /etc/x", "/etc/x", true},
		{"/var/Run/** !/var/Run/ok", "/run/ok", false},
		{"/var/Run/** !/var/Run/ok", "/run/no", true},
		{"var/Run/x", "/run/x", false},
		{"/broken/x /etc", "/etc", false}, // nothing led elsewhere
		{"/Up /var/Run/a", "/etc", false},
		{"/*/x", "/run/x", false},
	} {
		var rules []Rule
		for _, text := range strings.Fields(row.patterns) {
			rules = append(rules, Rule{Pattern: text})
		}
		p, bad := CompilePaths(rules, "/home/me")
		if len(bad) > 0 {
			t.Fatal(bad)
		}
		linked, moved := p.Linked(resolve)
		if _, got := linked.Match(row.path); got != row.want || !moved && got {
			t.Errorf("%s: %s is hit: %v, want %v", row.patterns, row.path, got, row.want)
		}
	}
}
