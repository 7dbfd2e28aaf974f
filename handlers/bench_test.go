//go:build unix

package handlers

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"
)

// The benchmarks tell what the service adds to the cost of HTTP and JSON: a
// bare handler reads the same body with the same decoder and writes the same
// answer, but decides nothing, logs nothing and counts nothing. The time is
// that of the processor, for client and server together.

// bareHandler answers with one decision that was made before.
func bareHandler(b *testing.B) http.Handler {
	b.Helper()
	var req decisionRequest
	if err := decodeStrict([]byte(gitStatus), &req); err != nil {
		b.Fatal(err)
	}
	v, err := judge{policy: trusting(b)}.call(&req)
	if err != nil {
		b.Fatal(err)
	}
	mux := chi.NewMux()
	mux.Post("/v1/decisions", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = decodeStrict(body, new(decisionRequest))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var answer bytes.Buffer
		if err := json.MarshalWrite(&answer, v.response); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(answer.Len()))
		_, _ = w.Write(answer.Bytes())
	})
	return mux
}

func benchService(b *testing.B) http.Handler {
	b.Helper()
	return trustingService(b, func(d *Deps) {
		d.Log = zerolog.New(bufio.NewWriterSize(io.Discard, 64<<10)).With().Timestamp().Logger()
	})
}

// client sends one request again and again over one connection.
type client struct {
	conn    net.Conn
	in      *bufio.Reader
	request []byte
}

func connect(b *testing.B, h http.Handler) *client {
	b.Helper()
	server := httptest.NewServer(h)
	b.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	request := "POST /v1/decisions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: " +
		strconv.Itoa(len(gitStatus)) + "\r\n\r\n" + gitStatus
	return &client{conn, bufio.NewReader(conn), []byte(request)}
}

func (c *client) send(b *testing.B, n int) {
	b.Helper()
	for range n {
		if _, err := c.conn.Write(c.request); err != nil {
			b.Fatal(err)
		}
		c.receive(b)
	}
}

func (c *client) receive(b *testing.B) {
	length := 0
	for line := 0; ; line++ {
		text, err := c.in.ReadSlice('\n')
		if err != nil {
			b.Fatal(err)
		}
		if line == 0 && !bytes.HasPrefix(text, []byte("HTTP/1.1 200")) {
			b.Fatalf("got %s", text)
		}
		if value, ok := bytes.CutPrefix(text, []byte("Content-Length: ")); ok {
			length, _ = strconv.Atoi(strings.TrimSpace(string(value)))
		}
		if len(text) <= 2 {
			break
		}
	}
	if _, err := c.in.Discard(length); err != nil {
		b.Fatal(err)
	}
}

// processorTime is what this process has used, in nanoseconds.
func processorTime(b *testing.B) int64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return used.Utime.Nano() + used.Stime.Nano()
}

func benchmarkOne(b *testing.B, h http.Handler) {
	c := connect(b, h)
	c.send(b, 100)
	b.ReportAllocs()
	b.ResetTimer()
	before := processorTime(b)
	c.send(b, b.N)
	b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
}

func BenchmarkBare(b *testing.B)   { benchmarkOne(b, bareHandler(b)) }
func BenchmarkServer(b *testing.B) { benchmarkOne(b, benchService(b)) }

// BenchmarkRatio asks both in turns, so that a busy machine is busy for both.
func BenchmarkRatio(b *testing.B) {
	bare, server := connect(b, bareHandler(b)), connect(b, benchService(b))
	bare.send(b, 100)
	server.send(b, 100)
	const turn = 100
	var used [2]int64
	for b.Loop() {
		for i, c := range []*client{bare, server} {
			before := processorTime(b)
			c.send(b, turn)
			used[i] += processorTime(b) - before
		}
	}
	b.ReportMetric(float64(used[1])/float64(used[0]), "server/bare")
	b.ReportMetric(0, "ns/op")
}
