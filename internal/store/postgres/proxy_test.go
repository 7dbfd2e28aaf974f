package postgres

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxy passes bytes on to a server until it is cut: then connections stay open,
// and nothing arrives any more, as behind a broken switch.
type proxy struct {
	listener net.Listener
	server   string

	mu    sync.Mutex
	open  *sync.Cond
	isCut bool
	ended bool
	conns []net.Conn
}

func startProxy(t testing.TB, server string) *proxy {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, server: u.Host}
	p.open = sync.NewCond(&p.mu)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { p.serve(from) })
		}
	})
	t.Cleanup(func() { p.end(); wg.Wait() })
	return p
}

// url is the server's URL by way of the proxy.
func (p *proxy) url(t testing.TB, server string) string {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = p.listener.Addr().String()
	return u.String()
}

func (p *proxy) serve(from net.Conn) {
	if !p.track(from) || !p.wait() {
		return
	}
	to, err := net.Dial("tcp", p.server)
	if err != nil || !p.track(to) {
		from.Close()
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { p.pass(to, from) })
	wg.Go(func() { p.pass(from, to) })
	wg.Wait()
}

// pass copies in one direction; what was read before the cut is held back too.
func (p *proxy) pass(to, from net.Conn) {
	defer to.Close()
	buffer := make([]byte, 1<<15)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if !p.wait() {
				return
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			if err == io.EOF {
				p.wait()
			}
			return
		}
	}
}

func (p *proxy) track(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		c.Close()
		return false
	}
	p.conns = append(p.conns, c)
	return true
}

// wait returns when bytes may pass; false at the end.
func (p *proxy) wait() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.isCut && !p.ended {
		p.open.Wait()
	}
	return !p.ended
}

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isCut = true
}

func (p *proxy) mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isCut = false
	p.open.Broadcast()
}

func (p *proxy) end() {
	p.listener.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.open.Broadcast()
	for _, c := range p.conns {
		c.Close()
	}
}
