package auth

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"time"
)

const (
	keyTimeout    = 5 * time.Second
	mostRedirects = 3
)

// FileKeys reads a key set from a file, which the issuer's operator keeps up to
// date.
func FileKeys(path string) KeySource {
	return func(context.Context) ([]byte, error) {
		info, err := os.Stat(path) // opening a pipe would wait for its writer
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is no regular file", path)
		}
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return readKeys(file)
	}
}

// URLKeys fetches a key set. The address, and every one that it redirects to, is
// https; http only on this machine.
func URLKeys(address string) (KeySource, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if err := checkKeyURL(u); err != nil {
		return nil, err
	}
	client := &http.Client{
		Timeout: keyTimeout,
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			ForceAttemptHTTP2:      true,
			MaxIdleConns:           1,
			IdleConnTimeout:        time.Minute,
			MaxResponseHeaderBytes: 32 << 10,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > mostRedirects {
				return errors.New("too many redirects")
			}
			return checkKeyURL(r.URL)
		},
	}
	return func(ctx context.Context) ([]byte, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		r.Header.Set("Accept", "application/jwk-set+json, application/json")
		res, err := client.Do(r)
		if err != nil {
			return nil, err
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s answers %d", u.Redacted(), res.StatusCode)
		}
		return readKeys(res.Body)
	}, nil
}

func readKeys(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, mostKeyBytes+1))
	if err == nil && len(text) > mostKeyBytes {
		err = fmt.Errorf("the key set has more than %d bytes", mostKeyBytes)
	}
	return text, err
}

func checkKeyURL(u *url.URL) error {
	switch {
	case u.Host == "" || u.User != nil:
		return fmt.Errorf("%q is no address of a key set", u.Redacted())
	case u.Scheme == "https", u.Scheme == "http" && isLoopbackHost(u.Hostname()):
		return nil
	}
	return fmt.Errorf("%q: keys are fetched by https, or by http from a loopback address", u.Redacted())
}

// isLoopbackHost admits addresses alone: a name could lead elsewhere.
func isLoopbackHost(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Zone() == "" && addr.Unmap().IsLoopback() && net.ParseIP(host) != nil
}
