package programs

import "testing"

func TestSedScripts(t *testing.T) {
	for _, script := range []string{
		"p", "1p", "1,5p", "$p", "1,$p", "/a/p", "/a/,/b/p", "/a/I,+3p", "/a/!d", "2q", "$=", "n;d", "1~2p", "s/a/b/", "s/a/b/g", "s/a/b/3p", "s|/usr|/opt|g", "s,a,b,Ig", "y/abc/def/", "1d;2d", "{p;q}", "/a/{n;p}", "s/[abc]/x/g",
		`s/a\/b/c/`, "p\nd", "s/a/b/;s/c/d/", "", ";", "/write/p", "s/w/e/", "s/x/w f/", "/e/d",
	} {
		if !sedScript(script) {
			t.Errorf("%q is refused", script)
		}
	}
	for _, script := range []string{
		"w f", "1w f", "1!w f", "/a/w f", "/a/,$w f", "$w f", "W f", "e", "1e id", "e id", "s/a/b/w f", "s/a/b/gw f", "s/a/b/e", "s/a/b/ge", "s/a/b/pw f", "y/a/b/;w f", "{w f", "p;w f", "p\nw f", "p}w f", "r /etc/passwd", "R f", "r/etc/x",
		"s/[/]/x/w f", "s/[]/]/x/w f", "s/[^]/]/x/w f", "s/a/b/;e", `s/a\/b/w f/e`, "s/a/b", "s/a", "/a", "s", "y/a/b/e", `\,a,w f`, `s\a\b\`, "s\na\nb\n", "a text", "i\\", "c x", ":a", "b", "t", "#n", "v", "F", "z", "1,/a/s//b/w f", "sééé", "s/a/b/ w f",
	} {
		if sedScript(script) {
			t.Errorf("%q passes", script)
		}
	}
}
