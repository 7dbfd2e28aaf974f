package audit

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// Reasons, rules, tools and names of arguments are few, and come again with nearly
// every record. That they hold no secret is found out once, and remembered.

// maxRecurring bounds the length of a text that is remembered, in bytes.
const maxRecurring = 160

// recurring are texts in which hideSecrets finds nothing. What it finds depends on
// the text alone, so that all writers can share them.
var recurring = texts{seed: maphash.MakeSeed()}

// texts is a small set that forgets: each text has one place, which the next one
// that comes twice in a row takes from it. It may be used by many goroutines.
type texts struct {
	seed   maphash.Seed
	places [512]struct {
		last atomic.Uint64 // hash of what was looked for last
		text atomic.Pointer[string]
	}
}

// has looks for a text; its hash is for add.
func (t *texts) has(s string) (hash uint64, ok bool) {
	hash = maphash.String(t.seed, s)
	held := t.places[hash%uint64(len(t.places))].text.Load()
	return hash, held != nil && *held == s
}

// add remembers a text if it comes for the second time: one that never comes again
// costs no memory.
func (t *texts) add(hash uint64, s string) {
	place := &t.places[hash%uint64(len(t.places))]
	if place.last.Swap(hash) == hash {
		own := strings.Clone(s) // not a part of a whole request
		place.text.Store(&own)
	}
}

// remember notes that hideSecrets finds nothing in a text.
func remember(s string) {
	if len(s) > maxRecurring {
		return
	}
	if hash, ok := recurring.has(s); !ok {
		recurring.add(hash, s)
	}
}

// hideRecurring is hideSecrets, for texts that come again and again.
func hideRecurring(s string) string {
	if recurs(s) {
		return s
	}
	shown := hideSecrets(s)
	if shown == s {
		remember(s)
	}
	return shown
}

// recurs reports whether a text is known to hold no secret.
func recurs(s string) bool {
	if len(s) > maxRecurring {
		return false
	}
	_, ok := recurring.has(s)
	return ok
}
