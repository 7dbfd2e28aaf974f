package paths

import (
	"strings"
	"testing"
)

var (
	posixPlace   = Place{Cwd: "/proj/app", Home: "/home/dev"}
	windowsPlace = Place{Cwd: `c:\proj\app`, Home: `C:\Users\dev`, OS: Windows}
)

func TestAbsolute(t *testing.T) {
	for _, row := range []struct {
		place Place
		raw   string
		want  string
		kind  Kind
	}{
		{posixPlace, "", "/proj/app", ""},
		{posixPlace, ".", "/proj/app", ""},
		{posixPlace, "x", "/proj/app/x", ""},
		{posixPlace, " x ", "/proj/app/ x ", ""},
		{posixPlace, "../x", "/proj/app/../x", ""},
		{posixPlace, "/etc/passwd", "/etc/passwd", ""},
		{posixPlace, "//x", "//x", ""},
		{posixPlace, "~", "/home/dev", ""},
		{posixPlace, "~/", "/home/dev", ""},
		{posixPlace, "~/x", "/home/dev/x", ""},
		{posixPlace, "~//x", "/home/dev//x", ""},
		{posixPlace, "./~", "/home/dev", ""},
		{posixPlace, ".//.///~/x", "/home/dev/x", ""},
		{posixPlace, "a/~/b", "/proj/app/a/~/b", ""},
		{posixPlace, "../~", "/proj/app/../~", ""},
		{posixPlace, "x~", "/proj/app/x~", ""},
		{posixPlace, "/~", "/~", ""},
		{posixPlace, "~/..", "/home/dev/..", ""},
		{posixPlace, "~no-such-user/x", "", UnknownUser},
		{posixPlace, "./~no-such-user", "", UnknownUser},
		{posixPlace, "~+/x", "", UnknownUser},
		{posixPlace, "~-", "", UnknownUser},
		{posixPlace, "~~", "", UnknownUser},
		{posixPlace, "a\x00b", "", Nul},
		{posixPlace, `..\..\x`, "", ForeignOS},
		{posixPlace, strings.Repeat("a/", 2047), "", TooLong},

		{Place{Cwd: "/"}, "x", "/x", ""},
		{Place{Cwd: "/proj"}, "~/x", "", HomeUnknown},
		{Place{Cwd: "/proj", Home: "home"}, "~/x", "", Relative},
		{Place{Cwd: "proj"}, "x", "", Relative},
		{Place{}, "x", "", Relative},
		{Place{}, "/x", "/x", ""},
		{Place{Cwd: "/proc"}, "self/cwd", "", ProcessRelative},
		{Place{Cwd: "/proj"}, "../proc/self", "", ProcessRelative},
		{Place{Cwd: "/proc/self/cwd"}, "x", "", ProcessRelative},
		{Place{Cwd: `\\server\share`}, "x", "", ForeignOS},
		{Place{Cwd: "/proj", Home: "/home/\x00"}, "~", "", Nul},

		{windowsPlace, "", "C:/proj/app", ""},
		{windowsPlace, `x\y`, "C:/proj/app/x/y", ""},
		{windowsPlace, `d:\x`, "D:/x", ""},
		{windowsPlace, `D:/x`, "D:/x", ""},
		{windowsPlace, `\x`, "C:/x", ""},
		{windowsPlace, `..\x`, "C:/proj/app/../x", ""},
		{windowsPlace, `~\x`, "C:/Users/dev/x", ""},
		{windowsPlace, `.\~`, "C:/Users/dev", ""},
		{windowsPlace, `~dev\x`, "", UnknownUser},
		{windowsPlace, `\\server\share`, "", UNC},
		{windowsPlace, `PROGRA~1`, "", ShortName},
		{Place{Cwd: `\\server\share`, OS: Windows}, "x", "", UNC},
		{Place{Cwd: `\\server\share`, OS: Windows}, `\x`, "", UNC},
		{Place{Cwd: "/proj", OS: Windows}, "x", "", Relative},
		{Place{OS: Windows}, `C:\x`, "C:/x", ""},
	} {
		got, err := row.place.Absolute(row.raw)
		if kind := kindIn(t, err); got != row.want || kind != row.kind {
			t.Errorf("%+v.Absolute(%q) is %q, %q; want %q, %q", row.place, row.raw, got, kind, row.want, row.kind)
		}
	}
}

// A directory without a drive, in a request from another machine, holds what
// was named in the same way and nothing that names a drive.
func TestUnknownDrive(t *testing.T) {
	place := Place{OS: Windows}
	abs, err := place.Absolute(`\proj\app`)
	if Native() == Windows {
		if kindIn(t, err) != Relative {
			t.Errorf("here the drive matters, but got %q, %v", abs, err)
		}
		return
	}
	place.Cwd = abs
	for raw, inside := range map[string]bool{`x`: true, `/proj/app/x`: true, `\PROJ\app\x`: true, `\proj\x`: false, `C:\proj\app\x`: false, `..\x`: false} {
		got, err := place.Absolute(raw)
		r, err2 := Lexical{OS: Windows}.Resolve(got)
		if err != nil || err2 != nil || Windows.Contains(abs, r.Path) != inside {
			t.Errorf("%q is %q (%v, %v), inside: %v", raw, r.Path, err, err2, !inside)
		}
	}
	for _, raw := range []string{`?:/proj/app/x`, `?:\x`, `?:`, `?:x`} {
		if got, err := place.Absolute(raw); err == nil {
			t.Errorf("%q can be spelled: %q", raw, got)
		}
	}
}

func TestHomeIn(t *testing.T) {
	const file = "# people\n" +
		"root:x:0:0:root:/root:/bin/sh\n" +
		"short:x:1:1\n" +
		"dev:x:1000:1000::/home/dev:/bin/sh\n" +
		"dev:x:1001:1001::/home/second:/bin/sh\n"
	for _, row := range []struct{ name, want string }{
		{"root", "/root"},
		{"dev", "/home/dev"},
		{"short", ""},
		{"", ""},
		{"# people", ""},
		{"nobody", ""},
	} {
		if got := homesIn(strings.NewReader(file))[row.name]; got != row.want {
			t.Errorf("the home of %q is %q, want %q", row.name, got, row.want)
		}
	}
	endless := strings.NewReader(strings.Repeat("x", maxAccounts))
	if got := homesIn(endless)["x"]; got != "" {
		t.Errorf("a file without lines has the home %q", got)
	}
}

func FuzzAbsolute(f *testing.F) {
	for _, raw := range []string{
		"", "x", "~", "./~/x", "~root/x", "/proc/self", `C:\x`, `\\s\x`, "../x", "a\x00", `\x`, `~\x`, "//x",
	} {
		f.Add(raw, "/proj/app", "/home/dev", uint8(POSIX))
		f.Add(raw, `C:\proj`, `C:\Users\dev`, uint8(Windows))
	}
	f.Fuzz(func(t *testing.T, raw, cwd, home string, os uint8) {
		p := Place{Cwd: cwd, Home: home, OS: OS(os % 3)}
		abs, err := p.Absolute(raw)
		if err != nil {
			if kindIn(t, err) == "" || abs != "" {
				t.Fatalf("%q with the error %v", abs, err)
			}
			return
		}
		if p.OS.volume(abs) < 0 {
			t.Fatalf("%+v.Absolute(%q) is %q", p, raw, abs)
		}
		shown := abs
		if p.OS == Windows { // which no text can spell
			shown = strings.TrimPrefix(abs, unknownDrive)
		}
		if kind := kindIn(t, Screen(shown, p.OS)); kind != "" {
			t.Fatalf("%+v.Absolute(%q) is %q, which is %s", p, raw, abs, kind)
		}
		r, err := Lexical{p.OS}.Resolve(abs)
		if err != nil {
			t.Fatal(err)
		}
		if vol := p.OS.volume(r.Path); vol < 0 || !isClean(r.Path[vol:]) || !r.Loose || r.Exists {
			t.Fatalf("%q resolves to %+v", abs, r)
		}
	})
}

func isClean(path string) bool {
	if path == "/" {
		return true
	}
	names := strings.Split(path, "/")
	for _, name := range names[1:] {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	return names[0] == "" && len(names) > 1
}
