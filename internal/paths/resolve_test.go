package paths

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"syscall"
	"testing"
)

// fakeFS is a file system in which anything can go wrong, also for root. The
// key is the path, the value "dir", "file", "-> target" or the text of an error.
type fakeFS map[string]string

var fakeErrors = map[string]error{
	"EACCES":       syscall.EACCES,
	"EIO":          errors.New("input/output error"),
	"ENAMETOOLONG": syscall.ENAMETOOLONG,
	"ENOTDIR":      syscall.ENOTDIR,
}

func (f fakeFS) walk(t *testing.T, os OS) walk {
	return walk{
		os: os,
		look: func(path string) (node, error) {
			if strings.HasPrefix(slashed(path), "//") {
				t.Errorf("the walk looked at %q", path)
			}
			entry, ok := f[path]
			switch {
			case !ok:
				return node{}, fs.ErrNotExist
			case strings.HasPrefix(entry, "-> "):
				return node{link: true}, nil
			case fakeErrors[entry] != nil:
				return node{}, fakeErrors[entry]
			}
			return node{dir: entry == "dir", regular: entry == "file", links: 1}, nil
		},
		readlink: func(path string) (string, error) {
			target := strings.TrimPrefix(f[path], "-> ")
			if err := fakeErrors[target]; err != nil {
				return "", err
			}
			return target, nil
		},
		magic: func(dir string) bool { return strings.HasPrefix(dir, "/proc/7") },
	}
}

func TestWalk(t *testing.T) {
	tree := fakeFS{
		"/":               "dir",
		"/proj":           "dir",
		"/proj/app":       "dir",
		"/proj/app/f":     "file",
		"/proj/app/out":   "-> /srv/not-yet.txt",
		"/proj/app/docs":  "-> ../../srv",
		"/proj/app/loop":  "-> loop2",
		"/proj/app/loop2": "-> loop",
		"/proj/app/root":  "-> /",
		"/proj/app/up":    "-> ../missing/../app/docs/.",
		"/proj/app/void":  "-> ",
		"/proj/app/nul":   "-> a\x00b",
		"/proj/app/blind": "-> EACCES",
		"/proj/app/self":  "-> /proc/self/cwd",
		"/proj/app/mem":   "-> /proc/self",
		"/proj/app/long":  "-> " + strings.Repeat("y", 300),
		"/srv":            "dir",
		"/srv/a":          "dir",
		"/srv/b":          "-> a",
		"/srv/locked":     "EACCES",
		"/srv/broken":     "EIO",
		"/srv/deep":       "ENAMETOOLONG",
		"/srv/raced":      "ENOTDIR",
		"/proc":           "dir",
		"/proc/self":      "-> 7",
		"/proc/7":         "dir",
		"/proc/7/cwd":     "-> /proj",
		"/proc/7/fd":      "dir",
		"/proc/7/fd/3":    "-> /proj/app/f",
		"/dev":            "dir",
		"/dev/fd":         "-> /proc/self/fd",
	}
	for _, row := range []struct {
		in, want string // want is a path, or a kind
		exists   bool
	}{
		{"/", "/", true},
		{"//", "/", true},
		{"/..", "/", true},
		{"//proj", "/proj", true},
		{"/proj/./app//f", "/proj/app/f", true},
		{"/proj/app/f/", "/proj/app/f", true},
		{"/proj/app/..", "/proj", true},
		{"/proj/app/docs", "/srv", true},
		{"/proj/app/docs/x", "/srv/x", false},
		{"/proj/app/docs/..", "/", true},
		{"/proj/app/docs/../proj", "/proj", true},
		{"/srv/b/../b", "/srv/a", true},
		{"/proj/app/root", "/", true},
		{"/proj/app/root/srv/b", "/srv/a", true},
		{"/proj/app/out", "/srv/not-yet.txt", false},
		{"/proj/app/out/..", "/srv", true},
		{"/proj/app/out/x/y", "/srv/not-yet.txt/x/y", false},
		{"/proj/app/up", "/srv", true},
		{"/none/x", "/none/x", false},
		{"/none/../srv/b", "/srv/a", true},
		{"/none/x/../../srv", "/srv", true},
		{"/none/../../..", "/", true},
		{"/none/srv/../b/..", "/none", false},
		{"/proj/app/f/x", "/proj/app/f/x", false},
		{"/proj/app/f/x/..", "/proj/app/f", true},
		{"/proj/app/f/..", "/proj/app", true},
		{"/proj/app/f/../docs", "/srv", true},
		{"/srv/raced/x", "/srv/raced/x", false},
		{"/proj/app/loop", "loop", false},
		{"/proj/app/loop/x", "loop", false},
		{"/proj/app/loop/..", "loop", false},
		{"/proj/app/void", "unreadable", false},
		{"/proj/app/blind", "unreadable", false},
		{"/proj/app/nul", "nul", false},
		{"/proj/app/long", "too_long", false},
		{"/srv/locked", "unreadable", false},
		{"/srv/locked/x", "unreadable", false},
		{"/srv/locked/..", "unreadable", false},
		{"/srv/broken", "unreadable", false},
		{"/srv/deep", "too_long", false},
		{"/proj/app/self", "process_relative", false},
		{"/proj/app/mem", "process_relative", false},
		{"/proj/app/mem/../../srv", "/srv", true},
		{"/proc/7", "process_relative", false},
		{"/proc/7/fd/3", "process_relative", false},
		{"/proc/8/none", "process_relative", false},
		{"/dev/fd", "process_relative", false},
		{"/dev/fd/3", "process_relative", false},
		{"/proc", "/proc", true},
		{"proj", "relative", false},
		{"", "relative", false},
		{"C:/x", "relative", false},
	} {
		r, kind := tree.walk(t, POSIX).resolve(row.in)
		if got := r.Path + string(kind); got != row.want || r.Exists != row.exists {
			t.Errorf("%q leads to %+v %s; want %s, exists %v", row.in, r, kind, row.want, row.exists)
		}
	}
}

func TestWalkOnWindows(t *testing.T) {
	tree := fakeFS{
		"C:/":              "dir",
		"C:/proj":          "dir",
		"C:/proj/f":        "file",
		"C:/proj/junction": `-> D:\data`,
		"C:/proj/rooted":   `-> \proj\f`,
		"C:/proj/sibling":  `-> ..\proj\f`,
		"C:/proj/share":    `-> \\evil.test\share`,
		"C:/proj/unc":      `-> \\?\UNC\evil.test\share`,
		"C:/proj/volume":   `-> \\?\Volume{1}\x`,
		"C:/proj/dots":     `-> ..\..\..`,
		"D:/":              "dir",
		"D:/data":          "dir",
	}
	for _, row := range []struct {
		in, want string
		exists   bool
	}{
		{"C:/", "C:/", true},
		{`c:\proj\f`, "C:/proj/f", true},
		{"C:/proj/../..", "C:/", true},
		{"C:/proj/junction/..", "D:/", true},
		{"C:/proj/junction/x", "D:/data/x", false},
		{"C:/proj/rooted", "C:/proj/f", true},
		{"C:/proj/sibling", "C:/proj/f", true},
		{"C:/proj/dots", "C:/", true},
		{"C:/proj/share/x", "unc", false},
		{"C:/proj/unc", "unc", false},
		{"C:/proj/volume", "nt_namespace", false},
		{`\\evil.test\share`, "unc", false},
		{"//evil.test/share", "unc", false},
		{`\\?\C:\proj`, "nt_namespace", false},
		{"/proj", "relative", false},
		{"work", "relative", false},
		{"C:work", "relative", false},
	} {
		r, kind := tree.walk(t, Windows).resolve(row.in)
		if got := r.Path + string(kind); got != row.want || r.Exists != row.exists {
			t.Errorf("%q leads to %+v %s; want %s, exists %v", row.in, r, kind, row.want, row.exists)
		}
	}
}

func TestWalkCountsLinks(t *testing.T) {
	tree := fakeFS{"/": "dir", "/0": "dir"}
	for i := 1; i <= maxLinks+1; i++ {
		tree[fmt.Sprintf("/%d", i)] = fmt.Sprintf("-> %d", i-1)
	}
	if r, kind := tree.walk(t, POSIX).resolve(fmt.Sprintf("/%d", maxLinks)); r.Path != "/0" {
		t.Errorf("%d links: %+v %s", maxLinks, r, kind)
	}
	if r, kind := tree.walk(t, POSIX).resolve(fmt.Sprintf("/%d", maxLinks+1)); kind != Loop {
		t.Errorf("%d links: %+v %s", maxLinks+1, r, kind)
	}
}

// Each link doubles the way; the walk must give up long before the end.
func TestWalkIsBounded(t *testing.T) {
	tree := fakeFS{"/": "dir"}
	for i := range 60 {
		tree[fmt.Sprintf("/%d", i)] = fmt.Sprintf("-> /%d/../%d", i+1, i+1)
	}
	if r, kind := tree.walk(t, POSIX).resolve("/0"); kind != Loop {
		t.Errorf("got %+v %s", r, kind)
	}
	maps.DeleteFunc(tree, func(path, _ string) bool { return path != "/" })
	tree["/d"] = "-> " + strings.Repeat("x/", 2047)
	if r, kind := tree.walk(t, POSIX).resolve("/d/" + strings.Repeat("y/", 2000)); kind != TooLong {
		t.Errorf("got a path of %d bytes, %s", len(r.Path), kind)
	}
}

func TestLocalRefusesWhatNeverReachesIt(t *testing.T) {
	for _, row := range []struct {
		in   string
		want Kind
	}{
		{"/a\x00b", Nul},
		{"", Relative},
		{"x", Relative},
		{"/" + strings.Repeat("a", 256), TooLong},
		{"/none/" + strings.Repeat("a", 256), TooLong},
		{"/" + strings.Repeat("a/", 2048), TooLong},
	} {
		for _, resolver := range []Resolver{Local{}, Lexical{}} {
			_, err := resolver.Resolve(row.in)
			if got := kindIn(t, err); got != row.want && Native() != Windows {
				t.Errorf("%T: %q is %q, want %q", resolver, row.in, got, row.want)
			}
		}
	}
}

func TestLexical(t *testing.T) {
	for _, row := range []struct {
		os       OS
		in, want string // want is a path, or a kind
	}{
		{POSIX, "/proj/app/../x", "/proj/x"},
		{POSIX, "//x/./y/", "/x/y"},
		{POSIX, "/../..", "/"},
		{POSIX, "/x/../proc/self/cwd", "process_relative"},
		{POSIX, "x", "relative"},
		{Windows, `c:\proj\..\..\x`, "C:/x"},
		{Windows, `C:\`, "C:/"},
		{Windows, "C:/proj/x", "C:/proj/x"},
		{Windows, "C:/proc/self", "C:/proc/self"},
		{Windows, "/proj", "relative"},
		{Windows, "C:x", "relative"},
		{Windows, `\\server\share`, "unc"},
		{Windows, `\\?\C:\x`, "nt_namespace"},
	} {
		r, err := Lexical{row.os}.Resolve(row.in)
		if got := r.Path + string(kindIn(t, err)); got != row.want {
			t.Errorf("%v: %q is %s, want %s", row.os, row.in, got, row.want)
		}
		if err == nil && !r.Loose {
			t.Errorf("%v: %q is not loose", row.os, row.in)
		}
	}
}

func TestZeroFileIDIsUnknown(t *testing.T) {
	if (FileID{}).Valid() || !(FileID{Ino: 1}).Valid() {
		t.Error("validity is wrong")
	}
}
