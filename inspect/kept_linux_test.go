package inspect

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Beside the entry before it a path takes a shorter way. Its report is the one
// that it has alone.
func TestReportsOfOneDirectory(t *testing.T) {
	dir := privateDir(t)
	must(t, os.MkdirAll(dir+"/d/sub", 0o700))
	must(t, os.Chmod(dir+"/d", 0o770))
	for _, name := range []string{"a", "b", "-n", "new\nline"} {
		must(t, os.WriteFile(dir+"/d/"+name, nil, 0o640))
	}
	must(t, unix.Mkfifo(dir+"/d/fifo", 0o622))
	for name, target := range map[string]string{"link": "a", "up": "../d/b", "out": "/etc/passwd", "gone": "nothing", "loop": "loop", "dirlink": "sub"} {
		must(t, os.Symlink(target, dir+"/d/"+name))
	}
	must(t, os.Symlink("d", dir+"/alias"))
	t.Chdir(dir)
	long := strings.Repeat("x", 300)
	var paths []string
	for _, name := range []string{
		"a", "b", "a", "-n", "new\nline", "fifo", "link", "b", "up", "out", "a", "gone", "loop", "dirlink", "sub", "missing", "a",
		"", ".", "..", "sub/", "sub/.", "a/", "a/b", "./a", "../d/a", "dirlink/..", "dirlink/../a", "nul\x00", long, "b",
	} {
		paths = append(paths, dir+"/d/"+name)
	}
	for _, name := range []string{"a", "b", "link", "missing"} {
		paths = append(paths, "d/"+name, dir+"/alias/"+name, dir+"//d/"+name)
	}
	paths = append(paths, "/", "/proc/self/fd/0", "/proc/self/fd/1", "/proc/self/exe", "", ".", "..", "/dev/null", "/dev/zero",
		dir+strings.Repeat("/.", 2100)+"/d/a", dir+strings.Repeat("/.", 2100)+"/d/b")
	for name, opts := range map[string]Options{
		"facts":   {},
		"user":    {EffectiveFor: &Subject{UID: someone, GIDs: []uint32{someone, team}}},
		"profile": {Profile: "ssh-private-key"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(&opts)
			defer s.close()
			s.keep()
			for _, path := range paths {
				got, want := s.report(path), Path(path, opts)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%q: %+v\nalone %+v", path, got, want)
				}
			}
		})
	}
}

// A kept way is walked again after a moment: what it told is then old.
func TestKeptWayGrowsOld(t *testing.T) {
	dir := privateDir(t)
	must(t, os.Mkdir(dir+"/d", 0o700))
	for _, name := range []string{"a", "b"} {
		must(t, os.WriteFile(dir+"/d/"+name, nil, 0o600))
	}
	s := newSession(&Options{})
	defer s.close()
	s.keep()
	if r := s.report(dir + "/d/a"); !r.OK || is(r.Facts.ReplaceableByOthers) {
		t.Fatalf("at first %+v", r.Facts)
	}
	must(t, os.Rename(dir+"/d", dir+"/old"))
	must(t, os.Mkdir(dir+"/d", 0o700))
	must(t, os.Chmod(dir+"/d", 0o777))
	must(t, os.WriteFile(dir+"/d/b", nil, 0o644))
	s.walk.parent.since = time.Now().Add(-parentFresh)
	if r := s.report(dir + "/d/b"); !r.WorldReadable || !is(r.Facts.ReplaceableByOthers) {
		t.Errorf("a moment later %+v", r)
	}
}
