package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/agent-pdp/pdp/internal/store"
)

func TestBackupWhileTheStoreIsUsed(t *testing.T) {
	s := mustOpen(t, place(t), Options{})
	if _, err := s.OpenWriter(ctx, store.Writer{ID: "w"}); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := int64(1); ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			// One transaction writes both, so a copy has both or neither.
			err := s.Append(ctx, []store.Record{{Writer: "w", Seq: n, ID: fmt.Sprintf("%09d", n)}}, []store.Checkpoint{{Writer: "w", Seq: n}})
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	dir := t.TempDir()
	for i := range 5 {
		copied := filepath.Join(dir, fmt.Sprint("copy", i))
		if err := s.Backup(ctx, copied); err != nil {
			t.Fatal(err)
		}
		b := mustOpen(t, copied, Options{})
		head, err := b.OpenWriter(ctx, store.Writer{ID: "w"})
		if err != nil {
			t.Fatal(err)
		}
		points, err := b.ListCheckpoints(ctx, "w")
		if err != nil || int64(len(points)) != head.Seq {
			t.Errorf("%d records, %d checkpoints, %v", head.Seq, len(points), err)
		}
	}
	close(stop)
	wg.Wait()
}

func TestBackupTakesNobodysName(t *testing.T) {
	s := mustOpen(t, place(t), Options{})
	file := filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(ctx, file); !errors.Is(err, store.ErrExists) {
		t.Errorf("error is %v", err)
	}
	if got, err := os.ReadFile(file); string(got) != "mine" {
		t.Errorf("%q %v", got, err)
	}
	if err := s.Backup(ctx, filepath.Join(t.TempDir(), "none", "copy")); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("error is %v", err)
	}
	if err := s.Backup(ctx, "copy"); err == nil {
		t.Error("a path that is not absolute")
	}
	left, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
