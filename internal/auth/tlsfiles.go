package auth

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// TLSFiles serves a certificate and its key from files, and verifies clients
// against the authorities in a third one. When a file changes, connections from
// then on see the new version. A version that makes no sense is reported, and the
// last good one stays.
type TLSFiles struct {
	cert, key, authorities string
	report                 func(Loaded)

	config  atomic.Pointer[tls.Config]
	checked atomic.Int64 // when the files were last looked at, Unix nanoseconds
	mu      sync.Mutex
	stamps  [3]stamp
}

// Loaded tells of a version of the files.
type Loaded struct {
	Err      error     // nil: it is in use
	NotAfter time.Time // of the certificate in use
}

// stamp tells one version of a file from another.
type stamp struct {
	size     int64
	modified time.Time
	info     fs.FileInfo
}

// pauseBetweenLooks bounds how often connections have the files looked at.
const pauseBetweenLooks = time.Second

// LoadTLS reads the files. authorities may be empty: then clients show no
// certificates. report is called for each version that is read later.
func LoadTLS(cert, key, authorities string, report func(Loaded)) (*TLSFiles, error) {
	f := &TLSFiles{cert: cert, key: key, authorities: authorities, report: report}
	f.stamps = f.look()
	config, err := f.read()
	if err != nil {
		return nil, err
	}
	f.config.Store(config)
	f.checked.Store(time.Now().UnixNano())
	return f, nil
}

// Config is for http.Server.TLSConfig.
func (f *TLSFiles) Config() *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return f.current(time.Now()), nil },
	}
}

// NotAfter is when the certificate in use expires.
func (f *TLSFiles) NotAfter() time.Time { return f.config.Load().Certificates[0].Leaf.NotAfter }

func (f *TLSFiles) current(now time.Time) *tls.Config {
	last := f.checked.Load()
	if now.UnixNano()-last >= int64(pauseBetweenLooks) && f.checked.CompareAndSwap(last, now.UnixNano()) {
		f.reload()
	}
	return f.config.Load()
}

// reload reads the files if one of them has changed.
func (f *TLSFiles) reload() {
	f.mu.Lock()
	defer f.mu.Unlock()
	stamps := f.look()
	if sameFiles(stamps, f.stamps) {
		return
	}
	f.stamps = stamps
	config, err := f.read()
	if err == nil {
		f.config.Store(config)
	}
	f.report(Loaded{err, f.NotAfter()})
}

func (f *TLSFiles) look() (stamps [3]stamp) {
	for i, path := range []string{f.cert, f.key, f.authorities} {
		if info, err := os.Stat(path); path != "" && err == nil {
			stamps[i] = stamp{info.Size(), info.ModTime(), info}
		}
	}
	return stamps
}

func sameFiles(a, b [3]stamp) bool {
	for i := range a {
		if a[i].size != b[i].size || !a[i].modified.Equal(b[i].modified) || (a[i].info == nil) != (b[i].info == nil) ||
			a[i].info != nil && !os.SameFile(a[i].info, b[i].info) {
			return false
		}
	}
	return true
}

func (f *TLSFiles) read() (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, fmt.Errorf("the TLS certificate %s and its key: %w", f.cert, err)
	}
	if pair.Leaf == nil { // as GODEBUG can have it
		if pair.Leaf, err = x509.ParseCertificate(pair.Certificate[0]); err != nil {
			return nil, err
		}
	}
	config := &tls.Config{
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{"h2", "http/1.1"},
		Certificates: []tls.Certificate{pair},
	}
	if f.authorities == "" {
		return config, nil
	}
	text, err := os.ReadFile(f.authorities)
	if err != nil {
		return nil, fmt.Errorf("the authorities of clients: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New("the authorities of clients: " + f.authorities + " has no certificate in PEM")
	}
	config.ClientCAs, config.ClientAuth = pool, tls.VerifyClientCertIfGiven
	// A ticket would carry the verdict of authorities that are gone by now.
	config.SessionTicketsDisabled = true
	return config, nil
}
