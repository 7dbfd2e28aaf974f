package audit

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/inspect"
	"github.com/agent-pdp/pdp/internal/store"
)

// Files of a writer in the state directory.
const (
	KeyFile    = "audit.key"    // the private key, PKCS #8 in PEM
	PublicFile = "audit.pub"    // the public key, PKIX in PEM
	WriterFile = "audit.writer" // the writer's id
)

// Identity is who a writer is: an id, and the key that signs its checkpoints.
type Identity struct {
	Writer string
	Key    ed25519.PrivateKey
	// dir is where a new id is kept; empty: nowhere.
	dir string
}

// Public returns the public key.
func (id Identity) Public() ed25519.PublicKey { return id.Key.Public().(ed25519.PublicKey) }

// LoadIdentity reads the writer's files in the state directory, and makes those
// that are missing, so that a restart goes on with the same chain. The directory
// must exist. Two processes must not use one directory at the same time.
func LoadIdentity(dir string) (Identity, error) {
	key, err := loadKey(dir)
	if err != nil {
		return Identity{}, err
	}
	id := Identity{Key: key, dir: dir}
	name := filepath.Join(dir, WriterFile)
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return id.renewed()
	case err != nil:
		return Identity{}, fmt.Errorf("audit writer: %w", err)
	}
	if id.Writer = strings.TrimSpace(string(text)); !plainID(id.Writer) {
		return Identity{}, fmt.Errorf("%s: holds no writer's id; remove the file to start a new chain", name)
	}
	return id, nil
}

// Visitor returns an identity with the key of the state directory and a new id:
// for a command that writes a few records while the service runs.
func Visitor(dir string) (Identity, error) {
	key, err := loadKey(dir)
	if err != nil {
		return Identity{}, err
	}
	return Identity{Writer: decide.NewID(time.Now()), Key: key}, nil
}

// NewIdentity returns an identity that is kept nowhere.
func NewIdentity() (Identity, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return Identity{}, fmt.Errorf("audit key: %w", err)
	}
	return Identity{Writer: decide.NewID(time.Now()), Key: key}, nil
}

// renewed returns the identity with a new id, which it keeps.
func (id Identity) renewed() (Identity, error) {
	id.Writer = decide.NewID(time.Now())
	if id.dir == "" {
		return id, nil
	}
	return id, writeFile(filepath.Join(id.dir, WriterFile), []byte(id.Writer+"\n"), 0o600)
}

func (id Identity) writer(now time.Time) store.Writer {
	return store.Writer{ID: id.Writer, PublicKey: id.Public(), Started: now.UTC().Truncate(time.Microsecond)}
}

// checkpoint signs a statement about the writer's chain.
func (id Identity) checkpoint(kind string, seq int64, hash []byte, now time.Time) store.Checkpoint {
	return Sign(id.Key, store.Checkpoint{Writer: id.Writer, Seq: seq, Hash: append([]byte(nil), hash...), Kind: kind, Time: now})
}

// Sign returns the checkpoint with its time in microseconds and a signature.
func Sign(key ed25519.PrivateKey, c store.Checkpoint) store.Checkpoint {
	c.Time = c.Time.UTC().Truncate(time.Microsecond)
	c.Signature = ed25519.Sign(key, appendCheckpoint(nil, &c))
	return c
}

// signedBy reports whether the key made the checkpoint's signature.
func signedBy(key ed25519.PublicKey, c *store.Checkpoint) bool {
	return len(key) == ed25519.PublicKeySize && ed25519.Verify(key, appendCheckpoint(nil, c), c.Signature)
}

func loadKey(dir string) (ed25519.PrivateKey, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("audit key: %w", err)
	}
	name := filepath.Join(dir, KeyFile)
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		if err := makeKey(dir, name); err != nil {
			return nil, fmt.Errorf("audit key: %w", err)
		}
	}
	text, err := inspect.ReadSecureFile(name, inspect.SecureOptions{MaxBytes: 1 << 14})
	if err != nil {
		return nil, fmt.Errorf("audit key: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s: holds no key in PEM form", name)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%s: is no Ed25519 key", name)
	}
	return key, keepPublic(dir, key)
}

// makeKey makes a key under a name of its own and then gives it its own, so that
// of two processes that start together both read the same one.
func makeKey(dir, name string) error {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	temp := filepath.Join(dir, "."+KeyFile+"."+decide.NewID(time.Now()))
	if err := writeFile(temp, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		return err
	}
	defer os.Remove(temp)
	if err := os.Link(temp, name); err != nil && !errors.Is(err, fs.ErrExist) {
		return os.Rename(temp, name) // a file system without links
	}
	return nil
}

// keepPublic writes the public part beside the key if it is not there.
func keepPublic(dir string, key ed25519.PrivateKey) error {
	text, err := EncodePublic(key.Public().(ed25519.PublicKey))
	if err != nil {
		return err
	}
	name := filepath.Join(dir, PublicFile)
	if have, err := os.ReadFile(name); err == nil && string(have) == string(text) {
		return nil
	}
	if err := writeFile(name, text, 0o644); err != nil {
		return fmt.Errorf("audit key: %w", err)
	}
	return nil
}

// EncodePublic returns a public key in PEM form.
func EncodePublic(key ed25519.PublicKey) ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return nil, fmt.Errorf("audit key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), nil
}

// ReadPublic reads a public key in PEM form.
func ReadPublic(name string) (ed25519.PublicKey, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("audit key: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PUBLIC KEY" {
		return nil, fmt.Errorf("%s: holds no public key in PEM form", name)
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	key, ok := parsed.(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("%s: is no Ed25519 key", name)
	}
	return key, nil
}

// writeFile replaces a file as a whole.
func writeFile(name string, text []byte, mode fs.FileMode) (err error) {
	temp, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp.Name())
		}
	}()
	_, err = temp.Write(text)
	if err == nil {
		err = temp.Sync()
	}
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), name)
}
