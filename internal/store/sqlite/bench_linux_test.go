package sqlite

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agent-pdp/pdp/internal/store"
)

// BenchmarkManySessions opens and reads a store of PDP_BENCH_SESSIONS sessions
// with three grants each. It takes a minute and some 2 GB for a million.
func BenchmarkManySessions(b *testing.B) {
	count, _ := strconv.ParseInt(os.Getenv("PDP_BENCH_SESSIONS"), 10, 64)
	if count <= 0 {
		b.Skip("PDP_BENCH_SESSIONS is not set")
	}
	path := filepath.Join(b.TempDir(), "state", "pdp.db")
	many(b, path, count)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d sessions, %d MB", count, info.Size()>>20)

	read := func(b *testing.B, s *Store) {
		x, err := s.Session(ctx, nameOf(1+rand.Int64N(count)))
		if err != nil || len(x.Grants) != 3 {
			b.Fatalf("%+v %v", x, err)
		}
	}
	b.Run("Open", func(b *testing.B) {
		for b.Loop() {
			s, err := Open(ctx, path, Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			s.Close()
			uncache(b, path)
			b.StartTimer()
		}
	})
	// The first read of a store that was just opened, nothing of it in memory.
	b.Run("ColdRead", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			s, err := Open(ctx, path, Options{})
			if err != nil {
				b.Fatal(err)
			}
			uncache(b, path)
			b.StartTimer()
			read(b, s)
			b.StopTimer()
			s.Close()
			b.StartTimer()
		}
	})
	b.Run("Read", func(b *testing.B) {
		s := mustOpen(b, path, Options{})
		for b.Loop() {
			read(b, s)
		}
	})
}

// nameOf scatters names as random ones are; no two are the same.
func nameOf(n int64) string { return fmt.Sprintf("s-%08x", uint32(n*2654435761)) }

// many stores one session by the door, and copies of it past the store.
func many(b *testing.B, path string, count int64) {
	b.Helper()
	s := mustOpen(b, path, Options{})
	defer s.Close()
	now := time.Now()
	x := store.Session{
		ID: "template", Owner: "ann", Spec: []byte(`{"mode":"ask","workspace":"/srv/work/project","allow":["git status","go test"]}`),
		Labels: map[string]string{"team": "blue"}, TTL: time.Hour, Created: now, Updated: now, Expires: now.Add(time.Hour),
	}
	for _, command := range []string{"git status", "go test", "npm run build"} {
		x.Grants = append(x.Grants, store.Grant{
			ID: "0198a4c2-7e0b-7cc3-98c4-dc0c0c07398f", Kind: "command", Value: command, By: "ann",
			Approval: "0198a4c2-7e0b-7cc3-98c4-dc0c0c07398e", Created: now, Expires: now.Add(time.Hour),
		})
	}
	if _, err := s.ChangeSession(ctx, x.ID, func(*store.Session) (*store.Session, error) { return &x, nil }); err != nil {
		b.Fatal(err)
	}
	const columns = "owner, widened, spec, labels, grants, ttl, created, updated, expires, revision"
	for from := int64(1); from <= count; from += 100_000 {
		_, err := s.write.ExecContext(ctx, "WITH RECURSIVE n(i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?)"+
			" INSERT INTO sessions (id, "+columns+") SELECT printf('s-%08x', (i * 2654435761) % 4294967296), "+columns+
			" FROM sessions, n WHERE id = 'template'", from, min(from+99_999, count))
		if err != nil {
			b.Fatal(err)
		}
	}
}

// uncache takes a file out of the memory of the kernel, where that is not all
// there is of it.
func uncache(b *testing.B, path string) {
	b.Helper()
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		b.Fatal(err)
	}
}
