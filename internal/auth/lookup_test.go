package auth

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// laterStore has tokens that a set does not know yet.
type laterStore struct {
	set    *Set
	tokens []store.Token
	looks  int
	err    error
}

func (s *laterStore) read(context.Context) error {
	s.looks++
	if s.err != nil {
		return s.err
	}
	return s.set.Replace(s.tokens)
}

func lookingUp(t *testing.T) (*Authenticator, *laterStore, *time.Time) {
	t.Helper()
	s := &laterStore{set: newSet(t)}
	l := NewLookup(s.read)
	now := l.start
	l.now = func() time.Time { return now }
	return &Authenticator{Tokens: s.set, Lookup: l}, s, &now
}

func TestANewTokenCountsAtItsFirstUse(t *testing.T) {
	a, s, _ := lookingUp(t)
	secret, token := newToken(t, "ci", Runtime)
	s.tokens = []store.Token{token}
	for range 3 {
		if c, err := a.Caller(request(client, "Bearer "+secret)); err != nil || c.Name != "ci" || c.Role != Runtime {
			t.Fatalf("got %+v, %v", c, err)
		}
	}
	if s.looks != 1 {
		t.Errorf("%d looks", s.looks)
	}
}

// What the store is asked for, and what not.
func TestWhatIsLookedUp(t *testing.T) {
	unknown, _ := newToken(t, "nobody", Admin)
	revoked, token := newToken(t, "gone", Admin)
	token.Revoked = noon
	expired, old := newToken(t, "old", Admin)
	old.Expires = noon.Add(-time.Hour)
	for _, row := range []struct {
		why  string
		text string
		want int
	}{
		{"a made token, looked for once however often it comes", unknown, 1},
		{"a made token with a wrong checksum", swapLast(unknown), 0},
		{"a made token that is cut off", unknown[:len(unknown)-1], 0},
		{"a text that a person chose", "correct-horse-battery-staple", 0},
		{"a JWT", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.", 0},
		{"a token that is known as revoked", revoked, 0},
		{"a token that is known as expired", expired, 0},
	} {
		a, s, _ := lookingUp(t)
		s.tokens = []store.Token{token, old}
		if err := s.set.Replace(s.tokens); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			if _, err := a.Caller(request(client, "Bearer "+row.text)); err == nil {
				t.Errorf("%s: accepted", row.why)
			}
		}
		if s.looks != row.want {
			t.Errorf("%s: %d looks, want %d", row.why, s.looks, row.want)
		}
	}
}

// However many guesses come, from wherever, the store is asked at a pace of its
// own; and a token that was made meanwhile counts as soon as there is room.
func TestGuessesAskTheStoreAtItsPace(t *testing.T) {
	a, s, now := lookingUp(t)
	guess := func() {
		text, _ := newToken(t, "x", Runtime)
		if _, err := a.Caller(request(client, "Bearer "+text)); err == nil {
			t.Fatal("accepted")
		}
	}
	for range 3000 {
		guess()
	}
	if s.looks != lookupsAtOnce {
		t.Errorf("%d looks at once, want %d", s.looks, lookupsAtOnce)
	}
	secret, token := newToken(t, "ci", Runtime)
	s.tokens = []store.Token{token}
	if _, err := a.Caller(request(client, "Bearer "+secret)); err == nil {
		t.Error("looked up beyond the pace")
	}
	*now = now.Add(lookupCost)
	if _, err := a.Caller(request(client, "Bearer "+secret)); err != nil {
		t.Error(err)
	}
	for range mostMissed + 10 {
		*now = now.Add(lookupCost)
		guess()
	}
	if n := len(a.Lookup.missed); n > mostMissed {
		t.Errorf("%d texts are remembered", n)
	}
}

// What could not be looked for is not taken for missing.
func TestALookThatFailsIsTakenAgain(t *testing.T) {
	a, s, _ := lookingUp(t)
	secret, token := newToken(t, "ci", Runtime)
	s.tokens, s.err = []store.Token{token}, errors.New("away")
	var refused *Refused
	if _, err := a.Caller(request(client, "Bearer "+secret)); !errors.As(err, &refused) || refused.Public != notAccepted {
		t.Fatalf("got %v", err)
	}
	s.err = nil
	if _, err := a.Caller(request(client, "Bearer "+secret)); err != nil {
		t.Error(err)
	}
}
