package inspect

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/agent-pdp/pdp/internal/fusetest"
)

// fuseMount mounts a directory that [fusetest.Mount] serves.
func fuseMount(t *testing.T) (dir string, release func()) {
	t.Helper()
	return fuseMountFor(t, fusetest.Shared)
}

func fuseMountFor(t *testing.T, options string) (dir string, release func()) {
	t.Helper()
	needRoot(t)
	dir = privateDir(t)
	return dir, fusetest.Mount(t, dir, options)
}

func TestFUSE(t *testing.T) {
	dir, _ := fuseMount(t)
	r := Path(dir+"/file", Options{})
	if m := r.Facts.Mount; !r.OK || m == nil || !is(m.FUSE) || m.Type != "fuse.pdptest" || m.Network != nil || m.SyntheticModes != nil {
		t.Errorf("%+v %+v", r, r.Facts.Mount)
	}
}

// One path on a mount that does not answer costs its own report and nothing else.
func TestHungMount(t *testing.T) {
	dir, release := fuseMount(t)
	file := makeObject(t, KindFile, 0o600)
	pool := &Pool{Workers: 2, MaxStuck: 3}
	paths := []string{file, dir + "/hang", file, dir + "/hang", dir + "/hang", file, file, dir + "/file"}
	opts := BatchOptions{PathTimeout: time.Second, Timeout: time.Minute}
	for i, r := range pool.Batch(context.Background(), paths, opts) {
		hangs := strings.HasSuffix(paths[i], "hang")
		if r.OK == hangs || hangs && !strings.Contains(r.Error, "timed out after 1s") && r.Error != errStuck.Message {
			t.Errorf("%d %s: %+v", i, paths[i], r.Error)
		}
	}
	// With all of its workers given up the pool takes no more, rather than hang.
	for !pool.full() {
		pool.Batch(context.Background(), []string{dir + "/hang"}, opts)
	}
	if r := pool.Batch(context.Background(), []string{file}, opts)[0]; r.OK || r.Error != errStuck.Message {
		t.Errorf("a full pool: %+v", r)
	}
	if err := pool.Run(context.Background(), time.Second, func(func() bool) {}); err != errStuck {
		t.Errorf("a full pool runs: %v", err)
	}
	release()
	for pool.Stuck() > 0 {
		runtime.Gosched() // the kernel lets the calls fail
	}
	if r := pool.Batch(context.Background(), []string{file}, opts)[0]; !r.OK {
		t.Errorf("after the mount has gone: %+v", r.Error)
	}
}

// A worker that hangs keeps its seat, but not the answers of the batch.
func TestHungWorkerKeepsNoReports(t *testing.T) {
	dir, release := fuseMount(t)
	pool := &Pool{Workers: 2}
	reports := pool.Batch(context.Background(), []string{dir + "/hang", dir + "/file"}, BatchOptions{PathTimeout: 50 * time.Millisecond, Timeout: time.Hour})
	kept := weak.Make(&reports[0])
	for try := 0; kept.Value() != nil; try++ {
		if try == 10 {
			t.Fatal("the reports are kept")
		}
		runtime.GC()
	}
	if pool.Stuck() != 1 {
		t.Errorf("%d workers hang", pool.Stuck())
	}
	release()
	for pool.Stuck() > 0 {
		runtime.Gosched()
	}
}

// A mount that does not answer takes its share of the seats, not all: its other
// paths are refused at once, and what lies elsewhere is answered.
func TestHungMountTakesItsShare(t *testing.T) {
	dir, release := fuseMount(t)
	file := makeObject(t, KindFile, 0o600)
	pool := &Pool{Workers: 2, MaxStuck: 20}
	var paths []string
	for range 40 {
		paths = append(paths, dir+"/hang", file)
	}
	reports := pool.Batch(context.Background(), paths, BatchOptions{PathTimeout: 100 * time.Millisecond, Timeout: time.Hour})
	late := 0
	for i, r := range reports {
		switch {
		case paths[i] == file:
			if !r.OK {
				t.Errorf("%d: %s", i, r.Error)
			}
		case r.ErrorCode != CodeTimeout:
			t.Errorf("%d: %+v", i, r.Error)
		case r.Error != errDeadMount.Message:
			late++
		}
	}
	if most := pool.perMount() + pool.workers(); late > most || pool.Stuck() > most {
		t.Errorf("%d paths hang, %d workers", late, pool.Stuck())
	}
	nothing := func(func() bool) {}
	if err := pool.RunPath(context.Background(), time.Hour, dir+"/other", nothing); err != errDeadMount {
		t.Errorf("the mount: %v", err)
	}
	if err := pool.RunPath(context.Background(), time.Hour, file, nothing); err != nil {
		t.Errorf("another place: %v", err)
	}
	release()
	for pool.Stuck() > 0 {
		runtime.Gosched()
	}
	if err := pool.RunPath(context.Background(), time.Hour, dir+"/other", nothing); err != nil || len(pool.dead.stuck) != 0 {
		t.Errorf("after the mount has gone: %v, %v", err, pool.dead.stuck)
	}
}

func TestDeepestMount(t *testing.T) {
	const table = "22 1 0:20 / / rw - ext4 /dev/a rw\n30 22 0:40 / /mnt rw - tmpfs t rw\n31 30 0:41 / /mnt/a\\040b rw - nfs4 h:/ rw\nbroken\n\n"
	for path, want := range map[string]string{
		"/etc/x": "/", "/mnt": "/mnt", "/mnt/c": "/mnt", "/mnt/a b": "/mnt/a b", "/mnt/a b/c": "/mnt/a b", "/mnt/a bc": "/mnt", "/mntx": "/", "": "/",
	} {
		if got := deepestMount(table, path); got != want {
			t.Errorf("%q: %q", path, got)
		}
	}
}

// On a FUSE mount a program decides, and who runs it has everything.
func TestWhoServesFUSE(t *testing.T) {
	for _, row := range []struct {
		options     string
		served      bool // by somebody else
		read, write *bool
	}{
		{"user_id=0,group_id=0,allow_other", false, nil, nil},
		{"user_id=0,group_id=0,allow_other,default_permissions", false, nil, &no},
		{"user_id=0,group_id=0", false, &no, &no},
		{fmt.Sprintf("user_id=%d,group_id=0,allow_other", someone), true, nil, nil},
	} {
		dir, release := fuseMountFor(t, row.options)
		for up := filepath.Dir(dir); up != os.TempDir(); up = filepath.Dir(up) {
			must(t, os.Chmod(up, 0o755))
		}
		r := Path(dir+"/dir/file", Options{EffectiveFor: &Subject{UID: another, GIDs: []uint32{another}}})
		served := found(r, FindServed) != "" && is(r.Facts.ReplaceableByOthers)
		if !r.OK || served != row.served || is(r.Facts.ReplaceableByOthers) != row.served {
			t.Errorf("%s: %+v %+v", row.options, r.Findings, r.Facts.ReplaceableAt)
		}
		if e := r.Effective; !sameFact(e.Read, row.read) || !sameFact(e.Write, row.write) {
			t.Errorf("%s: read %s, write %s", row.options, word(e.Read), word(e.Write))
		}
		if got := Path(dir+"/dir", Options{Profile: "private-dir"}).Profile.Pass; got && row.served {
			t.Errorf("%s: private", row.options)
		}
		release()
	}
}

// A server or the kernel's own rules decide: the modes say nothing for certain.
func TestWhoDecides(t *testing.T) {
	who := Subject{UID: 1000}
	for _, row := range []struct {
		kind, options string
		yes, no       *bool
	}{
		{"ext4", "", &yes, &no},
		{"overlay", "", &yes, &no},
		{"vfat", "", &yes, &no},
		{"nfs4", "rw,vers=4.2", nil, nil},
		{"cifs", "rw,posix", nil, nil},
		{"9p", "trans=virtio", nil, nil},
		{"virtiofs", "", &yes, &no},
		{"proc", "", nil, nil},
		{"", "", nil, nil},
		{"fuse.x", "", nil, nil},
		{"fuse.x", "rw,user_id=0,group_id=0", &no, &no},
		{"fuse.x", "rw,user_id=1000,group_id=0", nil, nil},
		{"fuse.x", "rw,user_id=1000,group_id=0,default_permissions", nil, &no},
		{"fuse.gocryptfs", "rw,user_id=0,group_id=0,default_permissions,allow_other", nil, &no},
		{"fuseblk", "rw,user_id=0,group_id=0,default_permissions,allow_other", nil, &no},
	} {
		m := Mount{Type: row.kind}
		m.describe("", row.options)
		if y, n := m.answer(&who, &yes), m.answer(&who, &no); !sameFact(y, row.yes) || !sameFact(n, row.no) {
			t.Errorf("%s %s: %s, %s", row.kind, row.options, word(y), word(n))
		}
	}
}

// Links in shared directories are followed for their owner only.
func TestGuardedLinks(t *testing.T) {
	for _, row := range []struct {
		dirMode, dirUID, linkUID, uid uint32
		want                          bool
	}{
		{0o1777, 0, 1000, 1000, true},
		{0o1777, 0, 1000, 1001, false},
		{0o1777, 0, 1000, 0, false}, // root too
		{0o1777, 1000, 1000, 1001, true},
		{0o1775, 0, 1000, 1001, true},
		{0o0777, 0, 1000, 1001, true},
	} {
		s := step{
			dir:   object{mode: typeDir | row.dirMode, uid: row.dirUID, hasOwner: true},
			entry: object{mode: typeLink | 0o777, uid: row.linkUID, hasOwner: true}, hasEntry: true,
		}
		if got := s.follows(&Subject{UID: row.uid}); got != row.want {
			t.Errorf("%+v: %v", row, got)
		}
	}
}
