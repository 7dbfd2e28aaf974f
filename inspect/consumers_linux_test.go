package inspect

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// runAs runs an installed program as a user. It skips the test without the program.
func runAs(t *testing.T, who Subject, name string, args ...string) (string, error) {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: who.UID, Gid: who.GIDs[0], Groups: who.GIDs}}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// openTop is a directory that everybody can pass.
func openTop(t *testing.T) string {
	t.Helper()
	top := t.TempDir()
	for _, dir := range []string{filepath.Dir(top), top} {
		must(t, os.Chmod(dir, 0o755))
	}
	return top
}

// A key passes exactly when ssh's own reader takes it.
func TestSSHKeysPassAsForSSH(t *testing.T) {
	needRoot(t)
	top := openTop(t)
	key := top + "/key"
	if out, err := runAs(t, Subject{GIDs: []uint32{0}}, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key); err != nil {
		t.Fatal(out, err)
	}
	const nobody = 65534 // ssh-keygen insists on a user with a name
	who := Subject{UID: nobody, GIDs: []uint32{nobody, team}}
	rng := rand.New(rand.NewPCG(2, 9))
	taken := 0
	for range 80 {
		owner, group := []int{0, nobody, another}[rng.IntN(3)], []int{0, nobody, team}[rng.IntN(3)]
		mode := []uint32{0o600, 0o400, 0o640, 0o644, 0o604, 0o040, 0o004, 0o4600, 0o601, uint32(rng.IntN(0o1000))}[rng.IntN(10)]
		must(t, os.Chown(key, owner, group))
		must(t, syscall.Chmod(key, mode))
		out, err := runAs(t, who, "ssh-keygen", "-y", "-P", "", "-f", key)
		got := Path(key, Options{Profile: "ssh-private-key", EffectiveFor: &who}).Profile
		if got.Pass != (err == nil) {
			t.Errorf("%o of %d:%d: %+v, but ssh says %v %s", mode, owner, group, got, err, out)
		}
		if err == nil {
			taken++
		}
	}
	if taken < 10 || taken > 70 {
		t.Errorf("a test of little: %d of 80 taken", taken)
	}
}

// What visudo takes passes, and what passes is at most what it asks for.
func TestSudoersPassAsForVisudo(t *testing.T) {
	needRoot(t)
	path := openTop(t) + "/sudoers"
	must(t, os.WriteFile(path, []byte("root ALL=(ALL) ALL\n"), 0o600))
	for _, row := range []struct {
		mode         uint32
		owner, group int
		stricter     bool // sudo takes it, visudo wants it as it should be
	}{
		{0o440, 0, 0, false},
		{0o400, 0, 0, true},
		{0o640, 0, 0, false},
		{0o444, 0, 0, false},
		{0o460, 0, 0, false},
		{0o440, someone, 0, false},
		{0o440, 0, team, false},
	} {
		must(t, os.Chown(path, row.owner, row.group))
		must(t, syscall.Chmod(path, row.mode))
		out, err := runAs(t, Subject{GIDs: []uint32{0}}, "visudo", "-c", "-O", "-P", "-f", path)
		got := Path(path, Options{Profile: "sudoers"}).Profile
		if got.Pass != (err == nil || row.stricter) {
			t.Errorf("%o of %d:%d: %+v, but visudo says %v %s", row.mode, row.owner, row.group, got, err, out)
		}
	}
}

// A repository passes exactly when git does not call its owner dubious.
func TestRepositoriesPassAsForGit(t *testing.T) {
	needRoot(t)
	top := openTop(t)
	who := Subject{UID: someone, GIDs: []uint32{someone}}
	git := func(args ...string) {
		t.Helper()
		if out, err := runAs(t, Subject{GIDs: []uint32{0}}, "git", args...); err != nil {
			t.Fatal(args, out, err)
		}
	}
	git("init", "-q", top+"/plain")
	git("init", "-q", "--bare", top+"/bare")
	git("init", "-q", "--separate-git-dir="+top+"/away", top+"/file")
	git("init", "-q", top+"/linked")
	must(t, os.Rename(top+"/linked/.git", top+"/real"))
	must(t, os.Symlink("../real", top+"/linked/.git"))
	git("-C", top+"/plain", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "x")
	git("-C", top+"/plain", "worktree", "add", "-q", top+"/tree")
	for _, dir := range []string{"plain/deep/er", "tree/deep", "file/deep"} {
		must(t, os.MkdirAll(filepath.Join(top, dir), 0o755))
	}
	rows := []struct{ start, objects string }{
		{"plain", "plain plain/.git"},
		{"plain/deep/er", "plain plain/.git plain/deep/er"},
		{"plain/.git", "plain plain/.git"},
		{"bare", "bare"},
		{"bare/refs", "bare bare/refs"},
		{"file", "file file/.git away"},
		{"file/deep", "file file/.git away file/deep"},
		{"linked", "linked linked/.git real"},
		{"tree", "tree tree/.git plain/.git/worktrees/tree plain/.git"},
		{"tree/deep", "tree tree/.git plain/.git/worktrees/tree tree/deep"},
	}
	for _, row := range rows {
		objects := strings.Fields(row.objects)
		for mine := range 1 << len(objects) {
			for i, name := range objects {
				must(t, os.Lchown(filepath.Join(top, name), someone*(mine>>i&1), 0))
			}
			dir := filepath.Join(top, row.start)
			out, err := runAs(t, who, "git", "-C", dir, "rev-parse", "--git-dir")
			if err != nil && !strings.Contains(out, "dubious ownership") && !strings.Contains(out, "unsafe repository") {
				t.Fatal(dir, out, err)
			}
			got := Path(dir, Options{Profile: "git-safe-directory", EffectiveFor: &who}).Profile
			if got.Pass != (err == nil) {
				t.Errorf("%s with %s: %v, but git says %v %s", row.start, fmt.Sprintf("%0*b of %s", len(objects), mine, row.objects), got.Failures, err, out)
			}
		}
	}
}

// What cannot be examined fails, and a .git file is taken for what it is.
func TestRepositoriesFailClosed(t *testing.T) {
	for _, row := range []struct{ name, text string }{
		{"empty", ""},
		{"no path", "gitdir: \n"},
		{"another word", "gitlink: /x\n"},
		{"a NUL", "gitdir: /x\x00y\n"},
		{"to nowhere", "gitdir: /nonexistent/there\n"},
	} {
		dir := privateDir(t)
		must(t, os.WriteFile(dir+"/.git", []byte(row.text), 0o600))
		if got := Path(dir, Options{Profile: "git-safe-directory"}).Profile; got.Pass || len(got.Failures) == 0 {
			t.Errorf("%s: %+v", row.name, got)
		}
	}
	dir := privateDir(t)
	must(t, syscall.Mkfifo(dir+"/.git", 0o600)) // does not hang, and is no repository
	_ = Path(dir, Options{Profile: "git-safe-directory"})
	must(t, os.Mkdir(dir+"/sub", 0o700))
	refuse := func(path string) string {
		if filepath.Base(path) == "sub" || strings.HasPrefix(path, dir+"/sub/") {
			return ""
		}
		return "not yours"
	}
	if r := findRepository(dir+"/sub", refuse); r.unknown == "" || len(r.objects) > 0 {
		t.Errorf("looked where it may not: %+v", r)
	}
}
