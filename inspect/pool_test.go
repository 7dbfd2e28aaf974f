package inspect

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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

// A panic is the business of who waits for the work, and of its own path.
func TestPanics(t *testing.T) {
	pool := &Pool{Workers: 1}
	func() {
		defer func() {
			if cause := recover(); cause == nil || !strings.Contains(cause.(string), "boom") {
				t.Errorf("got %v", cause)
			}
		}()
		_ = pool.Run(context.Background(), time.Minute, func(func() bool) { panic("boom") })
	}()
	opts := BatchOptions{Admit: func(path string) string {
		if path == "/bad" {
			panic("boom")
		}
		return ""
	}}
	got := pool.Batch(context.Background(), []string{"/", "/bad", "/"}, opts)
	if !got[0].OK || got[1].OK || got[1].Error != "internal error: boom" || !got[2].OK {
		t.Errorf("%+v", got)
	}
	if len(pool.seats) != 0 {
		t.Errorf("%d seats are still taken", len(pool.seats))
	}
}

// However many callers come at once, no more workers than seats are ever made.
func TestSeatsBoundTheWorkers(t *testing.T) {
	pool := &Pool{Workers: 2, MaxStuck: 3}
	block := make(chan struct{})
	var inside atomic.Int64
	var callers sync.WaitGroup
	for range 50 {
		callers.Go(func() {
			err := pool.Run(context.Background(), 20*time.Millisecond, func(func() bool) {
				inside.Add(1)
				<-block
			})
			if errorOf(err).Code != CodeTimeout {
				t.Errorf("got %v", err)
			}
		})
		callers.Go(func() {
			opts := BatchOptions{Timeout: 20 * time.Millisecond, PathTimeout: time.Millisecond, Admit: func(string) string {
				inside.Add(1)
				<-block
				return ""
			}}
			for _, r := range pool.Batch(context.Background(), []string{"/", "/"}, opts) {
				if r.OK || r.ErrorCode != CodeTimeout {
					t.Errorf("got %+v", r.Error)
				}
			}
		})
	}
	callers.Wait()
	if n := inside.Load(); n > 5 {
		t.Errorf("%d workers for 5 seats", n)
	}
	close(block)
}

// A batch of any length gives way to who waits for a seat.
func TestBatchGivesWay(t *testing.T) {
	pool := &Pool{Workers: 1, MaxStuck: 1}
	var single atomic.Bool
	var started sync.Once
	begun := make(chan struct{})
	batch := func() {
		// It goes on for as long as the single path has not been served.
		opts := BatchOptions{Timeout: time.Hour, Admit: func(string) string {
			started.Do(func() { close(begun) })
			if single.Load() {
				return "over"
			}
			return ""
		}}
		for !single.Load() {
			pool.Batch(context.Background(), make([]string, 1000), opts)
		}
	}
	var all sync.WaitGroup
	all.Go(batch)
	all.Go(batch)
	<-begun
	err := pool.Run(context.Background(), time.Hour, func(func() bool) { single.Store(true) })
	if err != nil {
		t.Error(err)
	}
	all.Wait()
}
