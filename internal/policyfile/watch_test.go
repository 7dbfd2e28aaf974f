package policyfile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// feed collects what a watcher reports.
type feed struct {
	t    *testing.T
	good chan *File
	bad  chan error
}

func watch(t *testing.T, path string) (*Watcher, feed) {
	t.Helper()
	f := feed{t, make(chan *File, 100), make(chan error, 100)}
	w, err := Watch(t.Context(), path, func(p *File) { f.good <- p }, func(err error) { f.bad <- err })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	f.wantMode("interactive")
	return w, f
}

const deadline = 30 * time.Second // for a machine under load; never waited for when all is well

func (f feed) wantMode(mode string) {
	f.t.Helper()
	for {
		select {
		case p := <-f.good:
			if p.Spec.Mode == mode {
				return
			}
		case <-time.After(deadline):
			f.t.Fatalf("the version with mode %s never came", mode)
		}
	}
}

func (f feed) wantFault(text string) {
	f.t.Helper()
	for {
		select {
		case err := <-f.bad:
			if strings.Contains(err.Error(), text) {
				return
			}
		case <-time.After(deadline):
			f.t.Fatalf("the fault %q was never reported", text)
		}
	}
}

func policyOf(mode string) string { return fmt.Sprintf("version: 1\nmode: %s\n", mode) }

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAFileThatIsWrittenInPlaceIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	write(t, path, policyOf("interactive"))
	_, f := watch(t, path)
	write(t, path, policyOf("plan"))
	f.wantMode("plan")
}

func TestAFileThatIsReplacedByRenamingIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "policy.yaml")
	write(t, path, policyOf("interactive"))
	_, f := watch(t, path)
	for _, mode := range []string{"plan", "custom", "discuss"} { // the second time, too
		write(t, filepath.Join(dir, ".new"), policyOf(mode))
		do(t, os.Rename(filepath.Join(dir, ".new"), path))
		f.wantMode(mode)
	}
}

func TestAConfigMapsLinkSwapIsSeen(t *testing.T) {
	dir := t.TempDir()
	version := func(name, mode string) {
		do(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		write(t, filepath.Join(dir, name, "policy.yaml"), policyOf(mode))
		do(t, os.Symlink(name, filepath.Join(dir, "..data_tmp")))
		do(t, os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")))
	}
	version("..2026_01", "interactive")
	path := filepath.Join(dir, "policy.yaml")
	do(t, os.Symlink(filepath.Join("..data", "policy.yaml"), path))
	_, f := watch(t, path)
	version("..2026_02", "plan")
	f.wantMode("plan")
	do(t, os.RemoveAll(filepath.Join(dir, "..2026_01")))
	version("..2026_03", "custom")
	f.wantMode("custom")
}

func TestALinkAboveTheFileIsWatched(t *testing.T) {
	dir := t.TempDir()
	for _, mode := range []string{"interactive", "plan"} {
		do(t, os.Mkdir(filepath.Join(dir, mode), 0o700))
		write(t, filepath.Join(dir, mode, "policy.yaml"), policyOf(mode))
	}
	do(t, os.Symlink("interactive", filepath.Join(dir, "current")))
	_, f := watch(t, filepath.Join(dir, "current", "policy.yaml"))
	do(t, os.Symlink("plan", filepath.Join(dir, "next")))
	do(t, os.Rename(filepath.Join(dir, "next"), filepath.Join(dir, "current")))
	f.wantMode("plan")
}

func TestTheDirectoriesThatDecideWhatAPathLeadsTo(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	do(t, err)
	do(t, os.MkdirAll(filepath.Join(dir, "a", "v1"), 0o700))
	do(t, os.Symlink("v1", filepath.Join(dir, "a", "data")))
	do(t, os.Symlink(filepath.Join("data", "p"), filepath.Join(dir, "a", "p")))
	do(t, os.Symlink(filepath.Join(dir, "a", "p"), filepath.Join(dir, "p")))
	do(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	for _, row := range []struct{ path, want string }{
		{"q", "."},
		{"a/q", "a"},
		{"a/data/p", "a a/v1"},
		{"a/p", "a a/v1"},
		{"p", ". a a/v1"},
		{"a/../p", ". a a/v1"},
		{"a/v1/../data/p", "a a/v1"},
		{"loop", "."},
	} {
		var got []string
		for d := range dirsOf(dir + "/" + row.path) {
			rel, err := filepath.Rel(dir, d)
			do(t, err)
			got = append(got, filepath.ToSlash(rel))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s: %q, want %q", row.path, got, row.want)
		}
	}
}

func TestAFileBehindALinkToAnotherDirectoryIsWatchedThere(t *testing.T) {
	far, near := t.TempDir(), t.TempDir()
	write(t, filepath.Join(far, "a.yaml"), policyOf("interactive"))
	path := filepath.Join(near, "policy.yaml")
	do(t, os.Symlink(filepath.Join(far, "a.yaml"), path))
	_, f := watch(t, path)
	write(t, filepath.Join(far, "a.yaml"), policyOf("plan"))
	f.wantMode("plan")
}

func TestABadVersionIsReportedAndTheGoodOneStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	write(t, path, policyOf("interactive"))
	w, f := watch(t, path)
	for _, row := range []struct {
		what  string
		spoil func()
		want  string
	}{
		{"a fault", func() { write(t, path, "version: 1\nmode: wild\n") }, `policy.yaml:2:7: mode: "wild"`},
		{"an empty file", func() { write(t, path, "\n") }, "is empty now"},
		{"comments alone", func() { write(t, path, "# version: 1\n") }, "policy.yaml:1: version: is missing; the first line"},
		{"no bytes", func() { write(t, path, "") }, "policy.yaml:1: version: is missing, as the file is empty now"},
		{"a document without content", func() { write(t, path, "---\n") }, "policy.yaml:1: version: is missing; the first line"},
		{"two documents", func() { write(t, path, "version: 1\n---\nversion: 1\n") }, "starts a second document"},
		{"null", func() { write(t, path, "# policy\nnull\n") }, "policy.yaml:1: version: is missing; the first line"},
		{"no file", func() { do(t, os.Remove(path)) }, "cannot be read"},
	} {
		row.spoil()
		f.wantFault(row.want)
		if w.Polling() == nil && len(f.good) > 0 {
			t.Errorf("%s: a version came that nobody wrote", row.what)
		}
	}
	write(t, path, policyOf("plan"))
	f.wantMode("plan")
}

func TestReloadOfAnUnchangedFileIsNoReloadAndNoFault(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "policy.yaml")
	replace := func(text string) {
		write(t, path+".new", text)
		do(t, os.Rename(path+".new", path))
	}
	replace(policyOf("interactive"))
	w, f := watch(t, path)
	w.Reload()
	replace(policyOf("interactive")) // another file, the same bytes
	w.Reload()
	replace(policyOf("plan"))
	select {
	case p := <-f.good:
		if p.Spec.Mode != "plan" {
			t.Error("an unchanged file came as a new version")
		}
	case <-time.After(deadline):
		t.Fatal("the new version never came")
	}
	if len(f.bad) > 0 {
		t.Error(<-f.bad)
	}
}

func TestAFaultThatIsTakenBackIsOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	write(t, path, policyOf("interactive"))
	w, f := watch(t, path)
	write(t, path, "version: 9\n")
	f.wantFault("version")
	w.Reload()
	f.wantFault("version")
	write(t, path, policyOf("interactive"))
	f.wantMode("interactive")
}

func TestReloadReportsAFaultThatIsStillThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	write(t, path, policyOf("interactive"))
	w, f := watch(t, path)
	write(t, path, "version: 9\n")
	f.wantFault("version")
	w.Reload()
	f.wantFault("version")
}

func TestAVersionFromBeforeComesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	write(t, path, policyOf("interactive"))
	_, f := watch(t, path)
	write(t, path, policyOf("plan"))
	f.wantMode("plan")
	write(t, path, policyOf("interactive"))
	f.wantMode("interactive")
}

func TestWithoutAFirstVersionThereIsNoWatcher(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	write(t, path, "version: 3\n")
	_, err := Watch(t.Context(), path, func(*File) { t.Error("a bad version was used") }, func(error) {})
	if err == nil || !strings.Contains(err.Error(), "policy.yaml:1:10: version: 3") {
		t.Error(err)
	}
}

func TestAfterCloseNothingIsCalled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	write(t, path, policyOf("interactive"))
	closed := make(chan struct{})
	w, err := Watch(t.Context(), path, func(*File) {
		select {
		case <-closed:
			t.Error("called after Close")
		default:
		}
	}, func(error) {})
	do(t, err)
	w.Close()
	close(closed)
	write(t, path, policyOf("plan"))
	w.Reload()
	w.Close() // again, harmlessly
}
