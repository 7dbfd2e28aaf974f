package auth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// KeySource reads an issuer's key set (RFC 7517), at most a bounded number of
// bytes of it, in bounded time.
type KeySource func(ctx context.Context) ([]byte, error)

const (
	mostKeyBytes = 256 << 10
	mostKeys     = 100
	mostSameID   = 4                // keys that one token is tried with
	keyPause     = 10 * time.Second // between two readings that unknown keys cause
	keepKeys     = 12 * time.Hour   // for which keys that cannot be read anew are good
)

// keyring holds the last keys that could be read.
type keyring struct {
	source KeySource
	now    func() time.Time
	loaded atomic.Pointer[loadedKeys]

	mu      sync.Mutex
	reading chan struct{} // closed when the reading in progress is done; nil if there is none
	failed  error         // of the last reading
	tried   time.Time     // when a token last caused a reading
}

type loadedKeys struct {
	set *keySet
	at  time.Time
}

// keySet is what one reading brought. Readings that brought the same are the
// same set.
type keySet struct {
	text string
	keys []jose.JSONWebKey
}

// current returns the keys that count.
func (k *keyring) current() (*keySet, error) {
	loaded := k.loaded.Load()
	switch {
	case loaded == nil:
		return nil, errors.New("the issuer's keys could not be read yet")
	case k.now().Sub(loaded.at) > keepKeys:
		return nil, fmt.Errorf("the issuer's keys could not be read for %s", keepKeys)
	}
	return loaded.set, nil
}

// refresh reads the keys. Calls at the same time share one reading.
func (k *keyring) refresh(ctx context.Context) error {
	k.mu.Lock()
	if done := k.reading; done != nil {
		k.mu.Unlock()
		select {
		case <-done:
			k.mu.Lock()
			defer k.mu.Unlock()
			return k.failed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	done := make(chan struct{})
	k.reading = done
	k.mu.Unlock()

	err := errors.New("reading the issuer's keys was cut off")
	defer func() {
		k.mu.Lock()
		k.failed, k.reading = err, nil
		k.mu.Unlock()
		close(done)
	}()
	// Others wait for this reading: the end of one request must not end it.
	err = k.read(context.WithoutCancel(ctx))
	return err
}

func (k *keyring) read(ctx context.Context) error {
	text, err := k.source(ctx)
	if err != nil {
		return err
	}
	next := &loadedKeys{at: k.now()}
	if before := k.loaded.Load(); before != nil && before.set.text == string(text) {
		next.set = before.set
	} else if next.set, err = parseKeys(text); err != nil {
		return err
	}
	k.loaded.Store(next)
	return nil
}

// find returns the keys that a token may be signed with. A key that is not known
// is looked for once more, but tokens cannot cause one reading after the other.
func (k *keyring) find(ctx context.Context, id string, alg jose.SignatureAlgorithm) (*keySet, []jose.JSONWebKey, error) {
	set, err := k.current()
	if err == nil {
		if keys := set.fitting(id, alg); len(keys) > 0 {
			return set, keys, nil
		}
	}
	if !k.mayRead() {
		if err == nil {
			err = errBadSignature
		}
		return nil, nil, err
	}
	if err := k.refresh(ctx); err != nil {
		return nil, nil, fmt.Errorf("the issuer's keys: %w", err)
	}
	set, err = k.current()
	if err != nil {
		return nil, nil, err
	}
	keys := set.fitting(id, alg)
	if len(keys) == 0 {
		return nil, nil, errBadSignature
	}
	return set, keys, nil
}

// mayRead reports whether a token may cause, or wait for, a reading.
func (k *keyring) mayRead() bool {
	now := k.now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.reading != nil {
		return true
	}
	if !k.tried.IsZero() && now.Sub(k.tried) < keyPause {
		return false
	}
	k.tried = now
	return true
}

// fitting returns the keys with this id that can be of this algorithm. A token
// without an id fits if there is no choice.
func (s *keySet) fitting(id string, alg jose.SignatureAlgorithm) []jose.JSONWebKey {
	var keys []jose.JSONWebKey
	for _, key := range s.keys {
		if (id == "" || key.KeyID == id) && fits(key, alg) && len(keys) < mostSameID {
			keys = append(keys, key)
		}
	}
	if id == "" && len(keys) > 1 {
		return nil
	}
	return keys
}

// fits reports whether a key is for an algorithm, by its type and by what it
// says of itself.
func fits(key jose.JSONWebKey, alg jose.SignatureAlgorithm) bool {
	if key.Algorithm != "" && key.Algorithm != string(alg) {
		return false
	}
	switch k := key.Key.(type) {
	case *rsa.PublicKey:
		return slices.Contains([]jose.SignatureAlgorithm{
			jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
		}, alg)
	case *ecdsa.PublicKey:
		return curves[alg] != nil && curves[alg] == k.Curve
	case ed25519.PublicKey:
		return alg == jose.EdDSA
	}
	return false
}

var curves = map[jose.SignatureAlgorithm]elliptic.Curve{
	jose.ES256: elliptic.P256(), jose.ES384: elliptic.P384(), jose.ES512: elliptic.P521(),
}

// leastRSABits is what RFC 7518 demands.
const leastRSABits = 2048

// parseKeys reads a key set. Keys of kinds that are not known are left out, as
// the standard says. A private or a shared key is an error: a set that is meant
// to be read by everybody must not have one.
func parseKeys(text []byte) (*keySet, error) {
	if len(text) > mostKeyBytes {
		return nil, fmt.Errorf("the key set has more than %d bytes", mostKeyBytes)
	}
	var raw struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("no key set: %w", err)
	}
	if len(raw.Keys) > mostKeys {
		return nil, fmt.Errorf("the key set has more than %d keys", mostKeys)
	}
	set := &keySet{text: string(text)}
	for _, one := range raw.Keys {
		var key jose.JSONWebKey
		if err := key.UnmarshalJSON(one); err != nil {
			continue
		}
		if !key.IsPublic() {
			return nil, fmt.Errorf("the key %q of the key set is a private or a shared one", key.KeyID)
		}
		if rsaKey, ok := key.Key.(*rsa.PublicKey); ok && rsaKey.N.BitLen() < leastRSABits {
			continue
		}
		if key.Use == "" || key.Use == "sig" {
			set.keys = append(set.keys, key)
		}
	}
	if len(set.keys) == 0 {
		return nil, errors.New("the key set has no public key for signatures")
	}
	return set, nil
}
