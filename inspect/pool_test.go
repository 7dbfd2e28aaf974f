package inspect

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

func TestBatchKeepsOrderAndDuplicates(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i := range 300 {
		path := filepath.Join(dir, strconv.Itoa(i%100))
		if i%3 != 0 {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		paths = append(paths, path)
	}
	paths = append(paths, "", "a\x00b", dir)
	for i, r := range DefaultPool.Batch(context.Background(), paths, BatchOptions{}) {
		alone := Path(paths[i], Options{})
		if r.OK != alone.OK || r.Error != alone.Error || r.Detail != alone.Detail {
			t.Errorf("%d %q: %+v, alone %+v", i, paths[i], r, alone)
		}
	}
}

func TestBatchOfNothing(t *testing.T) {
	if got := DefaultPool.Batch(context.Background(), nil, BatchOptions{}); got == nil || len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestBatchRefusesWithoutLooking(t *testing.T) {
	dir := t.TempDir()
	opts := BatchOptions{Admit: func(path string) string {
		if path == dir {
			return ""
		}
		return "not for you"
	}}
	got := DefaultPool.Batch(context.Background(), []string{dir, dir + "/x", dir}, opts)
	if !got[0].OK || got[1].OK || got[1].Error != "not for you" || got[1].Facts.ReplaceableByOthers != nil || !got[2].OK {
		t.Errorf("%+v", got)
	}
}

func TestBatchTellsHowFarItIs(t *testing.T) {
	last := 0
	opts := BatchOptions{Done: func(n int) { last = n }}
	DefaultPool.Batch(context.Background(), make([]string, 500), opts)
	if last != 500 {
		t.Errorf("told of %d", last)
	}
}

// What waits for ever is settled by the batch's own deadline or its caller.
func TestBatchEnds(t *testing.T) {
	block := make(chan struct{})
	defer close(block)
	wait := func(string) string { <-block; return "" }
	called, cancel := context.WithCancel(context.Background())
	cancel()
	for _, row := range []struct {
		ctx  context.Context
		opts BatchOptions
		want string
	}{
		{called, BatchOptions{Admit: wait}, "called off"},
		{context.Background(), BatchOptions{Admit: wait, Timeout: time.Millisecond}, "timed out after 1ms: the file system does not answer"},
	} {
		pool := &Pool{Workers: 1}
		for _, r := range pool.Batch(row.ctx, []string{"/", "/"}, row.opts) {
			if r.OK || r.Error != row.want {
				t.Errorf("%+v", r.Error)
			}
		}
		if pool.Stuck() > 1 {
			t.Errorf("%d workers of 1 are stuck", pool.Stuck())
		}
	}
}

func TestRun(t *testing.T) {
	block := make(chan struct{})
	pool := &Pool{}
	err := pool.Run(context.Background(), time.Millisecond, func(func() bool) { <-block })
	var late *Error
	if !errors.As(err, &late) || late.Code != CodeTimeout || late.Confirmed || pool.Stuck() != 1 {
		t.Errorf("%v, %d stuck", err, pool.Stuck())
	}
	close(block)
	if err := pool.Run(context.Background(), time.Minute, func(alive func() bool) {
		if !alive() {
			t.Error("nobody waits")
		}
	}); err != nil {
		t.Error(err)
	}
}
