package sessions

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/agent-pdp/pdp/internal/store"
)

// cache holds sessions in memory, a bounded number and a bounded size of them.
//
// What is put in was read or written a moment ago, and somebody may have changed
// the session since. So whoever fills the cache takes its turn first, then reads
// or writes, and what it brings is kept only if nothing has changed meanwhile.
type cache struct {
	mu   sync.Mutex
	lru  *simplelru.LRU[string, *live]
	turn int64 // grows with each change of any session
	size int64
	most int64 // bytes
}

func newCache(sessions int, bytes int64) (*cache, error) {
	c := &cache{most: bytes}
	var err error
	c.lru, err = simplelru.NewLRU(sessions, func(_ string, e *live) { c.size -= e.size })
	return c, err
}

func (c *cache) get(id string) (*live, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lru.Get(id)
}

// now is the turn to take before a session is read or written.
func (c *cache) now() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.turn
}

// read keeps a session that was read in a turn.
func (c *cache) read(e *live, turn int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn == turn {
		c.put(e)
	}
}

// wrote keeps a session that was written in a turn.
func (c *cache) wrote(e *live, turn int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	latest := c.turn == turn
	c.turn++
	if latest {
		c.put(e)
	} else {
		c.lru.Remove(e.stored.ID)
	}
}

// changed drops a session that is older than a revision.
func (c *cache) changed(id string, revision int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn++
	if e, ok := c.lru.Peek(id); ok && e.stored.Revision < revision {
		c.lru.Remove(id)
	}
}

// forget has the next read of sessions go to the store.
func (c *cache) forget(ids ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn++
	for _, id := range ids {
		c.lru.Remove(id)
	}
}

func (c *cache) purge() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn++
	c.lru.Purge()
}

func (c *cache) put(e *live) {
	c.lru.Remove(e.stored.ID) // replacing it would not take its size off
	c.lru.Add(e.stored.ID, e)
	c.size += e.size
	for c.size > c.most && c.lru.Len() > 1 {
		c.lru.RemoveOldest()
	}
}

// sizeOf estimates what a session takes in memory, compiled.
func sizeOf(s *store.Session) int64 {
	const itself, factor = 4 << 10, 8
	n := len(s.Spec)
	for name, value := range s.Labels {
		n += len(name) + len(value)
	}
	for i := range s.Grants {
		n += grantSize(&s.Grants[i])
	}
	return itself + factor*int64(n)
}

func grantSize(g *store.Grant) int {
	const itself = 200
	n := itself + len(g.Value) + len(g.Definition)
	for path, digest := range g.Files {
		n += len(path) + len(digest)
	}
	return n
}
