package auth

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Lookup has the store asked for a token that is not known yet, so that a new one
// counts at its first use and not when the service hears of it.
//
// Only a text with the form and the checksum of a made token gets here. Anybody
// can compute a checksum, so that whoever guesses gets no more out of it than one
// look for each text, and all of them together one in lookupCost. A look that is
// not taken costs nothing but the short time until the service hears of the token.
type Lookup struct {
	read  func(context.Context) error
	start time.Time
	now   func() time.Time
	pace  meter

	mu     sync.Mutex
	missed map[Digest]struct{} // what was not there when it was looked for
}

const (
	lookupsAtOnce = 20
	lookupCost    = 100 * time.Millisecond // after that, one in this time
	mostMissed    = 1024
)

// NewLookup returns a lookup by a function that has the stored tokens read into
// the [Set]. It returns when a reading has ended that began after the call, or an
// error soon; it bounds how many wait for it.
func NewLookup(read func(context.Context) error) *Lookup {
	return &Lookup{read: read, start: time.Now(), now: time.Now, missed: map[Digest]struct{}{}}
}

// look has the store asked, and reports whether it was.
func (l *Lookup) look(ctx context.Context, text string) bool {
	if l == nil || kindOf(text) != made || l.wasMissed(NewDigest(text)) {
		return false
	}
	return l.pace.take(int64(l.now().Sub(l.start)), lookupCost, lookupsAtOnce) && l.read(ctx) == nil
}

func (l *Lookup) wasMissed(d Digest) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.missed[d]
	return ok
}

// miss remembers a text that the store does not know: a token has its text before
// it is stored, so that it will not come to be.
func (l *Lookup) miss(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.missed) >= mostMissed {
		clear(l.missed)
	}
	l.missed[NewDigest(text)] = struct{}{}
}

// findNew is find, which looks once more where a token may have been made a
// moment ago.
func (a *Authenticator) findNew(ctx context.Context, text string) (caller Caller, guessable bool, err error) {
	caller, guessable, err = a.find(text)
	if !errors.Is(err, errUnknownToken) || !a.Lookup.look(ctx, text) {
		return caller, guessable, err
	}
	caller, guessable, err = a.find(text)
	if errors.Is(err, errUnknownToken) {
		a.Lookup.miss(text)
	}
	return caller, guessable, err
}
