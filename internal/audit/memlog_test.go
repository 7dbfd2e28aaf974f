package audit

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/agent-pdp/pdp/internal/store"
)

// memLog is a log in memory that can be made to fail.
type memLog struct {
	mu      sync.Mutex
	writers []store.Writer
	records map[string][]store.Record // by writer, in order
	marks   map[string][]store.Checkpoint
	ids     map[string]bool
	appends int

	// before and after are called by Append around what it does; an error of
	// before means that nothing was stored, one of after that everything was.
	before func(records []store.Record) error
	after  func(records []store.Record) error
	open   func() error
	// eraseMost is how many contents are erased before that fails; 0: all are.
	eraseMost int
}

func newMemLog() *memLog {
	return &memLog{records: map[string][]store.Record{}, marks: map[string][]store.Checkpoint{}, ids: map[string]bool{}}
}

func (l *memLog) find(id string) *store.Writer {
	for i := range l.writers {
		if l.writers[i].ID == id {
			return &l.writers[i]
		}
	}
	return nil
}

func (l *memLog) OpenWriter(_ context.Context, w store.Writer) (store.Head, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open != nil {
		if err := l.open(); err != nil {
			return store.Head{}, err
		}
	}
	have := l.find(w.ID)
	if have == nil {
		l.writers = append(l.writers, w)
		have = &w
	}
	if !bytes.Equal(have.PublicKey, w.PublicKey) {
		return store.Head{}, store.ErrExists
	}
	if list := l.records[w.ID]; len(list) > 0 {
		last := list[len(list)-1]
		return store.Head{Seq: last.Seq, Hash: last.Hash}, nil
	}
	return store.Head{Seq: have.Pruned, Hash: have.PrunedHash}, nil
}

func cloneRecord(r store.Record) store.Record {
	r.Content, r.Salt = bytes.Clone(r.Content), bytes.Clone(r.Salt)
	r.ContentHash, r.Hash = bytes.Clone(r.ContentHash), bytes.Clone(r.Hash)
	return r
}

func (l *memLog) Append(ctx context.Context, records []store.Record, marks []store.Checkpoint) error {
	if err := ctx.Err(); err != nil {
		return store.ErrUnavailable
	}
	l.mu.Lock()
	before, after := l.before, l.after
	l.mu.Unlock()
	if before != nil {
		if err := before(records); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range records {
		list := l.records[r.Writer]
		if l.find(r.Writer) == nil {
			return store.ErrNotFound
		}
		if len(list) > 0 && list[len(list)-1].Seq >= r.Seq {
			return store.ErrExists
		}
		if l.ids[r.ID] {
			return store.ErrExists
		}
	}
	for _, r := range records {
		l.records[r.Writer] = append(l.records[r.Writer], cloneRecord(r))
		l.ids[r.ID] = true
	}
	for _, m := range marks {
		l.marks[m.Writer] = append(l.marks[m.Writer], m)
	}
	l.appends++
	if after != nil {
		return after(records)
	}
	return nil
}

func (l *memLog) Record(_ context.Context, id string) (store.Record, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, list := range l.records {
		for _, r := range list {
			if r.ID == id {
				return cloneRecord(r), nil
			}
		}
	}
	return store.Record{}, store.ErrNotFound
}

func (l *memLog) ListRecords(_ context.Context, q store.RecordQuery) (page []store.Record, last string, more bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []store.Record
	for _, list := range l.records {
		for _, r := range list {
			if matches(q, &r) && (q.Before == "" || r.ID < q.Before) {
				all = append(all, cloneRecord(r))
			}
		}
	}
	slices.SortFunc(all, func(a, b store.Record) int { return cmp.Compare(b.ID, a.ID) })
	if len(all) > q.Limit {
		return all[:q.Limit], all[q.Limit-1].ID, true, nil
	}
	return all, "", false, nil
}

func (l *memLog) WalkRecords(_ context.Context, writer string, above int64, visit func(store.Record) error) error {
	l.mu.Lock()
	list := slices.Clone(l.records[writer])
	l.mu.Unlock()
	for _, r := range list {
		if r.Seq > above {
			if err := visit(cloneRecord(r)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *memLog) ListWriters(context.Context) ([]store.Writer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.writers), nil
}

func (l *memLog) ListCheckpoints(_ context.Context, writer string) ([]store.Checkpoint, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Clone(l.marks[writer])
	slices.SortStableFunc(list, func(a, b store.Checkpoint) int { return cmp.Compare(a.Seq, b.Seq) })
	return list, nil
}

func (l *memLog) CountStrays(context.Context) (int64, error) { return 0, nil }

func (l *memLog) EraseContents(_ context.Context, session string) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, list := range l.records {
		for i := range list {
			if list[i].Session == session && session != "" && list[i].Content != nil {
				if n++; l.eraseMost > 0 && n > l.eraseMost {
					return l.eraseMost, store.ErrUnavailable
				}
				list[i].Content, list[i].Salt = nil, nil
			}
		}
	}
	return n, nil
}

func (l *memLog) Prune(_ context.Context, c store.Checkpoint) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.records[c.Writer]
	for i, r := range list {
		if r.Seq == c.Seq {
			if !bytes.Equal(r.Hash, c.Hash) {
				return 0, store.ErrUnavailable
			}
			l.records[c.Writer] = slices.Clone(list[i+1:])
			w := l.find(c.Writer)
			w.Pruned, w.PrunedHash = c.Seq, c.Hash
			l.marks[c.Writer] = append(l.marks[c.Writer], c)
			return i + 1, nil
		}
	}
	return 0, store.ErrNotFound
}

// all returns every record of the log, chain by chain.
func (l *memLog) all() (list []store.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.writers {
		list = append(list, l.records[w.ID]...)
	}
	return list
}
