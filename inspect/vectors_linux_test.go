package inspect

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

type fixture struct {
	Path    string `json:"path"`
	PathB64 string `json:"path_b64"`
	Kind    string `json:"kind"`
	Mode    string `json:"mode"`
	Target  string `json:"target"`
	UID     int    `json:"uid"`
	GID     int    `json:"gid"`
}

var fixtureDir string

// makeFixtures builds the tree that the vectors were made on and returns its
// root, which other users may enter.
func makeFixtures(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	fixtureDir = dir
	for _, open := range []string{filepath.Dir(dir), dir} {
		must(t, os.Chmod(open, 0o755))
	}
	text, err := os.ReadFile("testdata/fixtures.json")
	must(t, err)
	var file struct {
		Fixtures []fixture `json:"fixtures"`
	}
	must(t, json.Unmarshal([]byte(strings.ReplaceAll(string(text), "{{DIR}}", dir)), &file))
	for _, f := range file.Fixtures {
		f.make(t, dir)
	}
	slices.Reverse(file.Fixtures)
	for _, f := range file.Fixtures {
		if f.Kind == "dir" {
			must(t, syscall.Chmod(filepath.Join(dir, f.Path), f.mode(t)))
		}
	}
	t.Cleanup(func() { openAgain(dir, file.Fixtures) })
	return dir
}

func (f fixture) make(t *testing.T, dir string) {
	t.Helper()
	path := dir + "/" + f.Path
	if f.PathB64 != "" {
		raw, err := base64.StdEncoding.DecodeString(f.PathB64)
		must(t, err)
		path = dir + "/" + string(raw)
	}
	switch f.Kind {
	case "dir":
		must(t, os.Mkdir(path, 0o755))
	case "file":
		must(t, os.WriteFile(path, nil, 0o600))
	case "fifo":
		must(t, syscall.Mknod(path, syscall.S_IFIFO|0o600, 0))
	case "socket":
		must(t, syscall.Mknod(path, syscall.S_IFSOCK|0o600, 0))
	case "symlink":
		must(t, os.Symlink(f.Target, path))
		return
	default:
		t.Fatalf("fixture of kind %q", f.Kind)
	}
	if isRoot() {
		must(t, os.Lchown(path, f.UID, f.GID))
	}
	if f.Kind != "dir" {
		must(t, syscall.Chmod(path, f.mode(t)))
	}
}

func (f fixture) mode(t *testing.T) uint32 {
	t.Helper()
	mode, err := strconv.ParseUint(f.Mode, 8, 32)
	must(t, err)
	return uint32(mode)
}

// openAgain lets the temporary directory be removed by a user who is not root.
func openAgain(dir string, fixtures []fixture) {
	for _, f := range fixtures {
		if f.Kind == "dir" {
			_ = os.Chmod(filepath.Join(dir, f.Path), 0o700)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func isRoot() bool { return os.Geteuid() == 0 }

// needsFixturesOfRoot reports the vectors that only root can prepare.
func needsFixturesOfRoot(id string) bool {
	return !isRoot() && (strings.HasPrefix(id, "posix-access") || strings.HasPrefix(id, "posix-kind"))
}

const nobody = 65534

// asUser runs f with the file system rights of the user whom the vector names.
// The kernel keeps that identity per thread.
func asUser(t *testing.T, v vector, f func()) {
	t.Helper()
	if v.As == "root" {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	set := func(id uintptr) {
		_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSGID, id, 0, 0)
		_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, id, 0, 0)
	}
	set(nobody)
	defer set(0)
	f()
}

// machineObjects are objects of the machine, not of the fixtures, with the mode
// that they had where the vectors were made.
var machineObjects = map[string]uint32{"/": typeDir | 0o755, "/dev/null": 0o020666, "/dev/full": 0o020666, "/tmp": typeDir | 0o1777}

func asOnTheMachine(path string) bool {
	want, listed := machineObjects[path]
	var st syscall.Stat_t
	return !listed || syscall.Lstat(path, &st) == nil && st.Mode == want
}

func (v vector) cannotRun() noCounterpart {
	path := v.Args.Path
	if strings.HasSuffix(path, "/to-null") {
		path = "/dev/null"
	}
	switch {
	case !asOnTheMachine(path):
		return hostSpecific
	case !isRoot() && (v.As != "root" || v.Group == "posix-kind"):
		return needsRoot
	}
	return ""
}

func replayStat(t *testing.T, v vector) any {
	if why := v.cannotRun(); why != "" {
		return why
	}
	var st Stat
	asUser(t, v, func() { st = SafeStat(v.path(fixtureDir)) })
	if !isRoot() {
		ownedByRoot(&st)
	}
	m := map[string]any{
		"ok": st.OK, "isSymlink": st.IsSymlink, "isDir": st.IsDir, "mode": st.Mode, "uid": st.UID, "gid": st.GID,
	}
	if st.Error != "" {
		m["error"] = st.Error
	}
	return m
}

// ownedByRoot makes fixtures that an ordinary user built look as if root had.
func ownedByRoot(st *Stat) {
	if st.UID != nil && int(*st.UID) == os.Getuid() {
		st.UID, st.GID = new(uint32), new(uint32)
	}
}

func replayPath(t *testing.T, v vector) any {
	if why := v.cannotRun(); why != "" {
		return why
	}
	path := v.path(fixtureDir)
	var r Report
	if v.Args.Platform == "win32" {
		facts, err, ok := factsOfReply(v)
		if !ok {
			return jsValue
		}
		r = asOnWindows(path, facts, err)
	} else {
		asUser(t, v, func() { r = Path(path, Options{}) })
	}
	m := reportFields(r)
	if v.Args.Detail {
		m["_detail"] = FormatDetail(path, r)
	}
	return m
}

// asOnWindows is what a report would be if these facts were the object's.
func asOnWindows(path string, facts SecurityFacts, err error) Report {
	if IsNamespaceAlias(path) {
		return failed(aliasError)
	}
	r := plainBits(path)
	if !r.OK {
		return r
	}
	return withSecurity(r, facts, err)
}
