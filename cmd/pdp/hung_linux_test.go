package main

import (
	"encoding/json"
	"os"
	"runtime"
	"testing"

	"github.com/agent-pdp/pdp/inspect"
	"github.com/agent-pdp/pdp/internal/fusetest"
)

// pdp inspect ends in time on a mount that does not answer, with what it knows of
// the other paths.
func TestInspectOfAHungMount(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may mount")
	}
	dir, here := t.TempDir(), t.TempDir()
	release := fusetest.Mount(t, dir, fusetest.Shared)
	for _, paths := range [][]string{{dir + "/hang"}, {here, dir + "/hang", dir + "/file"}} {
		code, out, errs := pdp(t, nil, "", append([]string{"inspect", "--timeout", "1s", "--output", "json"}, paths...)...)
		var got struct {
			Results []inspect.Report `json:"results"`
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != exitNegative || len(got.Results) != len(paths) {
			t.Fatalf("exit %d, %v: %s%s", code, err, out, errs)
		}
		for i, r := range got.Results {
			hangs := paths[i] == dir+"/hang"
			if r.OK == hangs || (r.ErrorCode == inspect.CodeTimeout) != hangs {
				t.Errorf("%s: %+v", paths[i], r)
			}
		}
	}
	release()
	for inspect.DefaultPool.Stuck() > 0 {
		runtime.Gosched() // the kernel lets the calls fail
	}
}
