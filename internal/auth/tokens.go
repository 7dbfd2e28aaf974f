package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// The text of a token that this service makes is
//
//	pdp_<role>_<id>_<secret><check>
//
// with 10 letters of id, 52 of secret (260 random bits) and 7 of a checksum over
// all that stands before, in the alphabet A-Z2-7. Scanners for leaked secrets
// find it by
//
//	pdp_(runtime|viewer|approver|admin)_[A-Z2-7]{10}_[A-Z2-7]{59}
//
// The role in the text is for people. The one that counts is stored.
const (
	tokenPrefix = "pdp_"
	idLength    = 10
	tailLength  = 2*26 + 7
)

// Digest is all that is kept of a token: the SHA-256 of its whole text.
type Digest [sha256.Size]byte

// NewDigest hashes the text of a token.
func NewDigest(text string) Digest {
	var short [128]byte // a longer text would be copied to the heap
	if len(text) <= len(short) {
		return sha256.Sum256(short[:copy(short[:], text)])
	}
	return sha256.Sum256([]byte(text))
}

// NewToken makes a token. secret is its text, which is shown once; t is what is
// stored. A zero expiry means that it does not expire.
func NewToken(name string, role Role, now, expires time.Time) (secret string, t store.Token, err error) {
	switch {
	case role == Nobody:
		return "", t, errors.New("a token needs a role")
	case !expires.IsZero() && !expires.After(now):
		return "", t, errors.New("the token would have expired already")
	}
	if err := checkName(name); err != nil {
		return "", t, err
	}
	id := rand.Text()[:idLength]
	text := tokenPrefix + role.String() + "_" + id + "_" + rand.Text() + rand.Text()
	text += checksum(text)
	digest := NewDigest(text)
	return text, store.Token{
		ID: id, Name: name, Role: role.String(), Hash: digest[:], Created: now.UTC(), Expires: expires,
	}, nil
}

// mostName bounds a name: it stands in tables and in every audit record.
const mostName = 64

// checkName admits names that look the same to everybody who reads them.
func checkName(name string) error {
	if name == "" || len(name) > mostName {
		return fmt.Errorf("a name has 1 to %d characters", mostName)
	}
	for i := range len(name) {
		if !isNameByte(name[i]) {
			return fmt.Errorf("the name %q has a character other than letters, digits and . _ - @", name)
		}
	}
	return nil
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("._-@", c) >= 0
}

func checksum(text string) string {
	var sum [5]byte
	binary.BigEndian.PutUint32(sum[:], crc32.ChecksumIEEE([]byte(text)))
	return base32.StdEncoding.EncodeToString(sum[:])[:7]
}

// textKind is what can be said of a token by its text alone.
type textKind uint8

const (
	foreign  textKind = iota // not of the form above: chosen by a person, or a JWT
	mistyped                 // of the form above, more or less
	made                     // of the form above: a secret that cannot be guessed
)

func kindOf(text string) textKind {
	rest, ok := strings.CutPrefix(text, tokenPrefix)
	role, rest, found := strings.Cut(rest, "_")
	if _, err := ParseRole(role); !ok || !found || err != nil {
		return foreign
	}
	id, tail, found := strings.Cut(rest, "_")
	if !found || !isLetters(id, idLength) || !isLetters(tail, tailLength) {
		return mistyped
	}
	if body := len(text) - 7; checksum(text[:body]) != text[body:] {
		return mistyped
	}
	return made
}

func isLetters(text string, n int) bool {
	if len(text) != n {
		return false
	}
	for i := range len(text) {
		if c := text[i]; (c < 'A' || 'Z' < c) && (c < '2' || '7' < c) {
			return false
		}
	}
	return true
}

// Fixed is a token that the operator has written down, by its hash.
type Fixed struct {
	ID     string // of the caller, after "token:"
	Name   string
	Role   Role
	Digest Digest
}

// WrittenToken is a token of a configuration file: a name, a role, and the
// SHA-256 of its text in hexadecimal digits.
func WrittenToken(name string, role Role, hash string) (Fixed, error) {
	if err := checkName(name); err != nil {
		return Fixed{}, err
	}
	if role == Nobody {
		return Fixed{}, errors.New("a token needs a role")
	}
	raw, err := hex.DecodeString(hash)
	if err != nil || len(raw) != len(Digest{}) {
		return Fixed{}, errors.New("sha256 must be the 64 hexadecimal digits of the token's hash")
	}
	return Fixed{ID: "config/" + name, Name: name, Role: role, Digest: Digest(raw)}, nil
}

// AdminToken is the operator's own, from outside of the store.
func AdminToken(text string) (Fixed, error) {
	if err := checkAdminToken(text); err != nil {
		return Fixed{}, err
	}
	return Fixed{ID: "admin", Name: "admin", Role: Admin, Digest: NewDigest(text)}, nil
}

// Set is every token that counts. It is read without a lock, and replaced whole.
type Set struct {
	entries atomic.Pointer[map[Digest]entry]
	stale   atomic.Bool
	now     func() time.Time

	mu    sync.Mutex // for the two below
	fixed map[Digest]entry
	kept  map[Digest]entry
}

type entry struct {
	digest  Digest
	caller  Caller
	stored  bool
	expires time.Time
	revoked bool
}

// NewSet returns a set of the operator's own tokens. Two of them with one text
// are an error: it could not be told who calls.
func NewSet(fixed ...Fixed) (*Set, error) {
	s := &Set{now: time.Now, fixed: map[Digest]entry{}}
	for _, f := range fixed {
		if other, ok := s.fixed[f.Digest]; ok {
			return nil, fmt.Errorf("the tokens %s and %s are the same", other.caller.Name, f.Name)
		}
		s.fixed[f.Digest] = entry{digest: f.Digest, caller: Caller{ID: "token:" + f.ID, Name: f.Name, Role: f.Role}}
	}
	s.publish()
	return s, nil
}

// Replace makes these the stored tokens. A token that makes no sense is not
// taken, and is named in the error; the others count.
func (s *Set) Replace(tokens []store.Token) error {
	var errs []error
	kept := make(map[Digest]entry, len(tokens))
	for _, t := range tokens {
		role, err := ParseRole(t.Role)
		if err != nil || len(t.Hash) != len(Digest{}) || t.ID == "" {
			errs = append(errs, fmt.Errorf("the stored token %q has no valid role, hash or id", t.ID))
			continue
		}
		digest := Digest(t.Hash)
		kept[digest] = entry{
			digest: digest, caller: Caller{ID: "token:" + t.ID, Name: t.Name, Role: role},
			stored: true, expires: t.Expires, revoked: !t.Revoked.IsZero(),
		}
	}
	s.mu.Lock()
	s.kept = kept
	s.mu.Unlock()
	s.publish()
	return errors.Join(errs...)
}

// publish puts both kinds together. A stored token stands before a written one
// with the same text, so that revoking it has an effect.
func (s *Set) publish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[Digest]entry, len(s.fixed)+len(s.kept))
	for d, e := range s.fixed {
		all[d] = e
	}
	for d, e := range s.kept {
		all[d] = e
	}
	s.entries.Store(&all)
}

// SetStale tells whether the store can be asked. While it cannot, a token may
// have been revoked without our knowing, so that stored tokens are a runtime's
// at most: they decide, and change nothing.
func (s *Set) SetStale(stale bool) { s.stale.Store(stale) }

// Stale reports what SetStale said last.
func (s *Set) Stale() bool { return s.stale.Load() }

// HasAdmin reports whether a valid token of an administrator is known.
func (s *Set) HasAdmin() bool {
	return s.any(func(e entry) bool { return e.caller.Role == Admin })
}

// Any reports whether a valid token is known.
func (s *Set) Any() bool { return s.any(func(entry) bool { return true }) }

func (s *Set) any(which func(entry) bool) bool {
	now := s.now()
	for _, e := range *s.entries.Load() {
		if which(e) && e.refusal(now) == nil {
			return true
		}
	}
	return false
}

var (
	errUnknownToken = errors.New("no such token")
	errExpiredToken = errors.New("the token has expired")
	errRevokedToken = errors.New("the token was revoked")
)

func (e entry) refusal(now time.Time) error {
	switch {
	case e.revoked:
		return errRevokedToken
	case !e.expires.IsZero() && !now.Before(e.expires):
		return errExpiredToken
	}
	return nil
}

// find returns the caller with this token. guessable says that it was not made
// by this service, so that a person may have chosen it.
//
// The time that it takes can tell something of the map's order at most. That
// hangs on the hash of the text, which a client cannot steer towards another
// hash, and on a seed that no client knows.
func (s *Set) find(text string) (caller Caller, guessable bool, err error) {
	digest := NewDigest(text)
	e, ok := (*s.entries.Load())[digest]
	if !ok || subtle.ConstantTimeCompare(e.digest[:], digest[:]) != 1 {
		return Caller{}, true, errUnknownToken
	}
	if err := e.refusal(s.now()); err != nil {
		return Caller{}, true, fmt.Errorf("%s (%s): %w", e.caller.ID, e.caller.Name, err)
	}
	if e.stored && s.stale.Load() && (e.caller.Role == Approver || e.caller.Role == Admin) {
		e.caller.Role = Runtime
	}
	return e.caller, !e.stored, nil
}
