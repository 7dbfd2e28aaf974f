package inspect

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// probeTrees names the file with the trees that the program tries when it is
// started as a probe.
const probeTrees = "INSPECT_PROBE_TREES"

// A process of another user starts this program again; descriptor 3 takes what it
// could do.
func TestProbe(t *testing.T) {
	list := os.Getenv(probeTrees)
	if list == "" {
		t.Skip("only does something in the process of another user, which other tests start")
	}
	text, err := os.ReadFile(list)
	must(t, err)
	var trees [][]string
	must(t, json.Unmarshal(text, &trees))
	answers := make([]EffectiveAccess, len(trees))
	for i, names := range trees {
		answers[i] = tryAccess(names)
	}
	must(t, json.NewEncoder(os.NewFile(3, "answers")).Encode(answers))
}

// asProcess tries trees in a process that has nothing but the rights of who.
func asProcess(t *testing.T, who Subject, program, list string) []EffectiveAccess {
	t.Helper()
	cmd := exec.Command(program, "-test.run=^TestProbe$")
	groups := make([]string, len(who.GIDs))
	for i, gid := range who.GIDs {
		groups[i] = strconv.Itoa(int(gid))
	}
	switch setpriv, err := exec.LookPath("setpriv"); {
	case who.UID == 0:
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 0, Gid: who.GIDs[0], Groups: who.GIDs}}
	case err != nil:
		t.Log("no setpriv: the process is started with the user and groups alone")
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: who.UID, Gid: who.GIDs[0], Groups: who.GIDs}}
	default:
		cmd.Args = append([]string{
			"setpriv", "--reuid=" + strconv.Itoa(int(who.UID)), "--regid=" + groups[0], "--groups=" + strings.Join(groups, ","),
			"--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--", program,
		}, cmd.Args[1:]...)
		cmd.Path = setpriv
	}
	cmd.Env = append(os.Environ(), probeTrees+"="+list)
	cmd.Dir = "/"
	from, to, err := os.Pipe()
	must(t, err)
	defer from.Close()
	cmd.ExtraFiles = []*os.File{to}
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	must(t, cmd.Start())
	_ = to.Close()
	text, readErr := io.ReadAll(from)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the process of %d: %v\n%s", who.UID, err, said.String())
	}
	must(t, readErr)
	var answers []EffectiveAccess
	must(t, json.Unmarshal(text, &answers))
	return answers
}

// What is computed for a user is what a process of that user can do: for every
// tree, user and set of groups, no answer is "no" where the process could, and
// none is "yes" where it could not.
func TestEffectiveAccessIsWhatAProcessCanDo(t *testing.T) {
	needRoot(t)
	top := t.TempDir()
	for _, dir := range []string{filepath.Dir(top), top} {
		must(t, os.Chmod(dir, 0o755))
	}
	self, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	program, list := filepath.Join(top, "probe"), filepath.Join(top, "trees")
	must(t, os.WriteFile(program, self, 0o755))
	rng := rand.New(rand.NewPCG(17, 19))
	trees := make([][]string, 600)
	for i := range trees {
		base := filepath.Join(top, fmt.Sprint(i))
		must(t, os.Mkdir(base, 0o755))
		trees[i] = randomTree(t, rng, base)
	}
	text, err := json.Marshal(trees)
	must(t, err)
	must(t, os.WriteFile(list, text, 0o644))
	count := map[string]int{}
	for _, who := range []Subject{
		{UID: 0, GIDs: []uint32{0}},
		{UID: someone, GIDs: []uint32{someone}},
		{UID: someone, GIDs: []uint32{team, someone, 31999}},
		{UID: another, GIDs: []uint32{31999}},
		{UID: 31003, GIDs: []uint32{31003, team}},
		{UID: 31003, GIDs: []uint32{0}}, // the group of root is a group like others
	} {
		paths := make([]string, len(trees))
		for i, names := range trees {
			paths[i] = names[len(names)-1]
		}
		reports := DefaultPool.Batch(t.Context(), paths, BatchOptions{Options: Options{EffectiveFor: &who}})
		for i, actual := range asProcess(t, who, program, list) {
			e := Path(paths[i], Options{EffectiveFor: &who}).Effective
			if e == nil {
				t.Fatalf("no answer for %s", paths[i])
			}
			if b := reports[i].Effective; b == nil || !slices.Equal(b.answers(), e.answers()) {
				t.Errorf("%s: in a batch %v, alone %v", paths[i], b, e.answers())
			}
			for k, got := range actual.answers() {
				right, computed := accessRights[k], e.answers()[k]
				count[right+" "+got]++
				if computed != got {
					t.Errorf("%d:%v, %s of %s: computed %s, the process says %s\n%s%v", who.UID, who.GIDs, right, paths[i],
						computed, got, describeTree(trees[i]), e.Why)
				}
			}
		}
	}
	for _, right := range accessRights {
		if count[right+" true"] < 100 || count[right+" false"] < 100 {
			t.Errorf("a test of little: %v", count)
		}
	}
	t.Log(count)
}

var accessRights = []string{"read", "write", "traverse", "replace"}

func (e *EffectiveAccess) answers() []string {
	return []string{known3(e.Read), known3(e.Write), known3(e.Traverse), known3(e.Replace)}
}
