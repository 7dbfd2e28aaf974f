package hostname

// Set is a compiled list of entries. It does not change and may be shared.
// The zero Set covers nothing.
//
// A look-up costs one map access per label of the host, however long the list
// is; only entries for one and the same host are tried one after another.
type Set struct {
	byHost map[string][]Entry // by host name, or by the address that the entry comes down to
}

// NewSet compiles a list. Zero entries and repetitions are dropped.
func NewSet(entries []Entry) Set {
	s := Set{byHost: make(map[string][]Entry, len(entries))}
	seen := make(map[Entry]bool, len(entries))
	for _, e := range entries {
		if e.host == "" || seen[e] {
			continue
		}
		seen[e] = true
		key := e.host
		if e.addr.IsValid() {
			key = unwrap(e.addr).String()
		}
		s.byHost[key] = append(s.byHost[key], e)
	}
	return s
}

// Covers returns an entry that surely speaks of the URL, the one nearest to
// the whole host first; for lists that allow.
func (s Set) Covers(u URL) (Entry, bool) { return s.find(u, Entry.Covers) }

// MightCover returns an entry that may speak of the URL; for lists that
// restrict. See Entry.MightCover.
func (s Set) MightCover(u URL) (Entry, bool) { return s.find(u, Entry.MightCover) }

// Len is the number of different entries.
func (s Set) Len() int {
	n := 0
	for _, entries := range s.byHost {
		n += len(entries)
	}
	return n
}

func (s Set) find(u URL, matches func(Entry, URL) bool) (Entry, bool) {
	if len(s.byHost) == 0 || u.Host == "" {
		return Entry{}, false
	}
	key := u.Host
	if u.Addr.IsValid() {
		if plain := unwrap(u.Addr); plain != u.Addr {
			key = plain.String()
		}
	}
	for ; key != ""; key = parent(key) {
		for _, e := range s.byHost[key] {
			if matches(e, u) {
				return e, true
			}
		}
		if u.Addr.IsValid() {
			break // the dots of an address divide nothing
		}
	}
	return Entry{}, false
}
