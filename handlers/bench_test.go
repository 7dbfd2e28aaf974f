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

	"github.com/agent-pdp/pdp/decide"
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
		d.Policy = fixed(trusting(b).InTime(NewPatience(0, nil).Wait))
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
	return connectWith(b, h, gitStatus, "")
}

// connectWith sends a body, and lines of further headers.
func connectWith(b *testing.B, h http.Handler, body, headers string) *client {
	b.Helper()
	server := httptest.NewServer(h)
	b.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	request := "POST /v1/decisions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: " +
		strconv.Itoa(len(body)) + "\r\n" + headers + "\r\n" + body
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

// BenchmarkPatienceRatio asks for a decision that looks at files in turns: in time,
// and as long as it takes.
func BenchmarkPatienceRatio(b *testing.B) {
	body := `{"context":{"workspace_root":` + strconv.Quote(b.TempDir()) + `,"mode":"bypass-approvals"},"call":{"tool_name":"write_file","arguments":{"path":"x","content":""}}}`
	var clients []*client
	for _, policy := range []*decide.Policy{trusting(b), trusting(b).InTime(NewPatience(0, nil).Wait)} {
		c := connectWith(b, trustingService(b, func(d *Deps) { d.Policy = fixed(policy) }), body, "")
		c.send(b, 100)
		clients = append(clients, c)
	}
	const turn = 100
	var used [2]int64
	for b.Loop() {
		for i, c := range clients {
			before := processorTime(b)
			c.send(b, turn)
			used[i] += processorTime(b) - before
		}
	}
	b.ReportMetric(float64(used[1])/float64(used[0]), "in-time/untimed")
	b.ReportMetric(float64(used[1]-used[0])/float64(b.N*turn), "cpu-ns-more/op")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkStoredRatio asks for an allow in turns: with the context in the
// request, and with that context as a stored session. Service and caller are the
// same; nothing is recorded.
func BenchmarkStoredRatio(b *testing.B) {
	const storedCall = `{"session_id":"s","call":{"tool_name":"run_shell","arguments":{"command":"git status"}}}`
	s := withStore(b)
	s.Audit, s.Records = nil, nil
	for _, row := range []struct{ method, target, body, want string }{
		{"PUT", "/v1/sessions/s", `{"workspace_root":"/proj/app","allowed_commands":["git status"]}`, `"id":"s"`},
		{"POST", "/v1/decisions", gitStatus, `"outcome":"allow"`},
		{"POST", "/v1/decisions", storedCall, `"outcome":"allow"`},
	} {
		r := httptest.NewRequest(row.method, row.target, strings.NewReader(row.body))
		r.Header.Set("Content-Type", "application/json")
		r.Host = "127.0.0.1"
		r.Header.Set("Authorization", "admin")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), row.want) {
			b.Fatal(w.Body)
		}
	}
	const caller = "Authorization: admin\r\n"
	stateless, stored := connectWith(b, s, gitStatus, caller), connectWith(b, s, storedCall, caller)
	stateless.send(b, 100)
	stored.send(b, 100)
	const turn = 100
	var used [2]int64
	for b.Loop() {
		for i, c := range []*client{stateless, stored} {
			before := processorTime(b)
			c.send(b, turn)
			used[i] += processorTime(b) - before
		}
	}
	b.ReportMetric(float64(used[1])/float64(used[0]), "stored/stateless")
	b.ReportMetric(0, "ns/op")
}
