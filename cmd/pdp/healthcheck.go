package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

type healthcheckCmd struct {
	URL     string        `name:"url" placeholder:"URL" setting:"PDP_URL" help:"The service, as http://host:port, https://host:port or unix:/path. Without it, what PDP_LISTEN says, or http://127.0.0.1:8080."`
	TLSCert string        `name:"tls-cert" placeholder:"FILE" setting:"PDP_TLS_CERT" help:"The service speaks TLS, with the certificate in this file and no other."`
	Timeout time.Duration `default:"2s" placeholder:"TIME" help:"How long to wait (default ${default})."`
}

func (*healthcheckCmd) Help() string {
	return `Exits with 0 if the service wants requests, else with 1. Made for containers and
init systems.

Example:

  pdp healthcheck --url http://127.0.0.1:8080`
}

func (c *healthcheckCmd) Run(ctx context.Context, a *app) error {
	target := c.URL
	if target == "" {
		target = serviceURL(a.getenv("PDP_LISTEN"))
	}
	client, base, err := clientFor(target)
	if err != nil {
		return failure{exitUsage, err}
	}
	if c.TLSCert != "" {
		if client, base, err = overTLS(client, base, c.TLSCert); err != nil {
			return failure{exitFailure, err}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/readyz", nil)
	if err != nil {
		return failure{exitUsage, err}
	}
	res, err := client.Do(req)
	if err != nil {
		var detail *url.Error
		if errors.As(err, &detail) {
			err = detail.Err
		}
		return failure{exitNegative, fmt.Errorf("%s: %w", target, err)}
	}
	defer res.Body.Close()
	var answer struct {
		Status   string `json:"status"`
		Revision string `json:"policy_revision"`
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err == nil {
		err = json.Unmarshal(body, &answer)
	}
	switch {
	case res.StatusCode != http.StatusOK && answer.Status != "":
		return failure{exitNegative, fmt.Errorf("%s: %s (%d)", target, plain(answer.Status), res.StatusCode)}
	case res.StatusCode != http.StatusOK:
		return failure{exitNegative, fmt.Errorf("%s: answers with %d", target, res.StatusCode)}
	case err != nil || answer.Status != "ready":
		return failure{exitNegative, fmt.Errorf("%s: what answers there is no pdp", target)}
	}
	fmt.Fprintf(a.stdout, "%s (policy %s)\n", plain(answer.Status), plain(answer.Revision))
	return nil
}

// serviceURL is where a service is found that listens on what PDP_LISTEN says.
func serviceURL(listen string) string {
	switch {
	case listen == "":
		return "http://127.0.0.1:8080"
	case strings.HasPrefix(listen, "unix:"):
		return listen
	default:
		return "http://" + reachable(listen)
	}
}

// clientFor returns a client for a service and the start of its URLs.
func clientFor(target string) (*http.Client, string, error) {
	// No proxy and no redirect: the answer must be the service's own.
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if path, ok := strings.CutPrefix(target, "unix:"); ok {
		client.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}}
		return client, "http://localhost", nil
	}
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, "", fmt.Errorf("--url %q: write http://host:port or unix:/path", target)
	}
	client.Transport = &http.Transport{}
	return client, strings.TrimRight(target, "/"), nil
}

// overTLS has the client accept exactly the certificate that the service was
// started with: its names need not be those that the service is asked under.
func overTLS(client *http.Client, base, cert string) (*http.Client, string, error) {
	text, err := os.ReadFile(cert)
	if err != nil {
		return nil, "", err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE" {
		return nil, "", fmt.Errorf("%s begins with no certificate in PEM", cert)
	}
	client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, // in favour of the comparison
		VerifyConnection: func(state tls.ConnectionState) error {
			if !bytes.Equal(state.PeerCertificates[0].Raw, block.Bytes) {
				return fmt.Errorf("the certificate is not the one in %s", cert)
			}
			return nil
		},
	}
	return client, "https://" + strings.TrimPrefix(strings.TrimPrefix(base, "http://"), "https://"), nil
}
