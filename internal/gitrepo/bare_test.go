package gitrepo

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestBareIsWhatGitTakes makes directories and asks git whether it works in them.
func TestBareIsWhatGitTakes(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed, so there is nothing to compare with")
	}
	parts := []string{"HEAD", "objects/x", "refs/x", "config"}
	for set := range 1 << len(parts) {
		dir := t.TempDir()
		for i, part := range parts {
			if set>>i&1 == 0 {
				continue
			}
			text := ""
			if part == "HEAD" {
				text = "ref: refs/heads/main\n"
			}
			write(t, filepath.Join(dir, part), text)
		}
		cmd := exec.Command(git, "-C", dir, "rev-parse", "--git-dir")
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		works := cmd.Run() == nil
		if ours := (&Looker{}).InBare(filepath.Join(dir, "config")); works && !ours {
			t.Errorf("%04b: git works there, and its configuration is not found", set)
		}
		// A part that is not there and makes git work there.
		for i, part := range parts[:3] {
			completes := set|1<<i == set|7 && set>>i&1 == 0 && set>>3&1 == 1
			if got := (&Looker{}).InBare(filepath.Join(dir, part)); got != completes {
				t.Errorf("%04b: %s: got %v, want %v", set, part, got, completes)
			}
		}
	}
}
