package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agent-pdp/pdp/internal/audit"
)

// Commands of the scripts, beside testscript's own:
//
//	exitcode CODE PROGRAM ARGS   run it and expect this code
//	serve ARGS              start pdp serve on a free port, wait until it is ready, set $URL
//	signal HUP|TERM         send it a signal
//	exits CODE              wait until it ends; its output is in serve.out and serve.err
//	http METHOD PATH [FILE] one request, with $TOKEN if that is set; stdout is the status, a line break, the body
//	until PATTERN METHOD PATH [FILE]   the same, again and again until it matches
//	logged PATTERN          wait until the log has a line that matches
//	hold FILE               send a request with half its body, wait until it is in work
//	refused                 wait until no connection is accepted any more
//	token ROLE NAME         run pdp token create, set $TOKEN and $TOKEN_ID
//	recorded DIR SESSION    write a record of the session to the log in a state directory
//	take VARIABLE PATTERN   set a variable to what a group matches in the last output
//	listen PATH             read a stream of events from now on
//	heard PATTERN           wait until the stream has it, set $1 to what the group matches
//	walk PAGE               run the commands of a page's console blocks, and compare what they print
//	paste PAGE TEXT         run a page's sh block that has the text, twice
//	release                 send the rest of the held request; stdout is its answer
var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"exitcode": exitCode,

	"serve":   onServer((*scriptServer).start),
	"signal":  onServer((*scriptServer).signal),
	"exits":   onServer((*scriptServer).exits),
	"http":    onServer((*scriptServer).http),
	"until":   onServer((*scriptServer).until),
	"logged":  onServer((*scriptServer).logged),
	"hold":    onServer((*scriptServer).hold),
	"refused": onServer((*scriptServer).refused),
	"release": onServer((*scriptServer).release),

	"listen": onServer((*scriptServer).listen),
	"heard":  onServer((*scriptServer).heard),
	"walk":   onServer((*scriptServer).walk),
	"paste":  onServer((*scriptServer).paste),

	"token":    makeToken,
	"recorded": writeRecord,
	"take":     takeField,
}

// patience is for a machine under load; nothing waits for it when all is well.
const patience = 60 * time.Second

type serverKey struct{}

func setupScript(env *testscript.Env) error {
	env.Setenv("HOME", env.WorkDir)
	s := &scriptServer{}
	env.Values[serverKey{}] = s
	env.Defer(s.kill)
	return nil
}

func onServer(do func(*scriptServer, *testscript.TestScript, []string) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, negated bool, args []string) {
		if negated {
			ts.Fatalf("this command cannot be negated")
		}
		ts.Check(do(ts.Value(serverKey{}).(*scriptServer), ts, args))
	}
}

func exitCode(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) < 2 {
		ts.Fatalf("usage: exitcode CODE PROGRAM ARGS")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

func makeToken(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 2 {
		ts.Fatalf("usage: token ROLE NAME")
	}
	ts.Check(ts.Exec("pdp", "token", "create", "--role", args[0], "--name", args[1]))
	token := strings.TrimSpace(ts.ReadFile("stdout"))
	parts := strings.Split(token, "_")
	if len(parts) != 4 || parts[1] != args[0] {
		ts.Fatalf("%q is no token of %s", token, args[0])
	}
	ts.Setenv("TOKEN", token)
	ts.Setenv("TOKEN_ID", parts[2])
}

func writeRecord(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 2 {
		ts.Fatalf("usage: recorded DIR SESSION")
	}
	ctx, dir := context.Background(), ts.MkAbs(args[0])
	log, err := openStore(ctx, "", dir, toBegin)
	ts.Check(err)
	err = recordVisit(ctx, log, dir, &audit.Event{Kind: audit.SessionChanged, Session: args[1], Caller: operator(), Outcome: "created", Note: "of-the-session"})
	ts.Check(errors.Join(err, log.Close()))
}

// scriptServer is the service that a script has started.
type scriptServer struct {
	cmd    *exec.Cmd
	url    string
	unix   string
	stdout string
	stderr syncBuffer
	ended  chan error

	events *syncBuffer // what was heard

	held net.Conn
	rest []byte
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func (s *scriptServer) start(ts *testscript.TestScript, args []string) error {
	listen := "--listen=127.0.0.1:0"
	for _, arg := range args {
		if strings.HasPrefix(arg, "--listen=") {
			listen = arg
		}
	}
	program, err := findIn(ts.Getenv("PATH"), "pdp")
	if err != nil {
		return err
	}
	s.cmd = exec.Command(program, append([]string{"serve", listen}, args...)...)
	s.cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GOCOVERDIR", "PDP_SOMETHING_ELSE", "PDP_POLICY", "PDP_CONFIG", "PDP_ADMIN_TOKEN", "PDP_LISTEN", "PDP_LOG_LEVEL", "SYSTEMROOT"} {
		if v := ts.Getenv(name); v != "" {
			s.cmd.Env = append(s.cmd.Env, name+"="+v)
		}
	}
	s.stderr = syncBuffer{}
	s.cmd.Stderr = &s.stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	s.ended = make(chan error, 1)
	go func() { s.ended <- s.cmd.Wait() }()
	if err != nil {
		<-s.ended
		return fmt.Errorf("no line when ready: %s", s.stderr.String())
	}
	s.stdout = line
	where := regexp.MustCompile(`(https?://|unix:)[^,\s]+`).FindString(line)
	s.url, s.unix = where, ""
	if path, ok := strings.CutPrefix(where, "unix:"); ok {
		s.url, s.unix = "http://localhost", path
	}
	ts.Setenv("URL", where)
	_, err = io.WriteString(ts.Stdout(), line)
	return err
}

func findIn(path, name string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		for _, file := range []string{filepath.Join(dir, name), filepath.Join(dir, name+".exe")} {
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				return file, nil
			}
		}
	}
	return "", fmt.Errorf("%s is not in %s", name, path)
}

func (s *scriptServer) signal(_ *testscript.TestScript, args []string) error {
	return s.cmd.Process.Signal(map[string]syscall.Signal{"HUP": syscall.SIGHUP, "TERM": syscall.SIGTERM}[args[0]])
}

func (s *scriptServer) exits(ts *testscript.TestScript, args []string) error {
	select {
	case <-s.ended:
	case <-time.After(patience):
		return fmt.Errorf("it did not end; log:\n%s", s.stderr.String())
	}
	code := s.cmd.ProcessState.ExitCode()
	s.cmd = nil
	for name, text := range map[string]string{"serve.out": s.stdout, "serve.err": s.stderr.String()} {
		if err := os.WriteFile(ts.MkAbs(name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if want := args[0]; strconv.Itoa(code) != want {
		return fmt.Errorf("exit code %d, want %s; log:\n%s", code, want, s.stderr.String())
	}
	return nil
}

func (s *scriptServer) kill() {
	if s.held != nil {
		_ = s.held.Close()
	}
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
}

// client opens a connection for each request: a closed listener must show.
func (s *scriptServer) client() *http.Client {
	transport := &http.Transport{DisableKeepAlives: true}
	if s.unix != "" {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", s.unix)
		}
	}
	return &http.Client{Transport: transport, Timeout: patience}
}

func (s *scriptServer) ask(ts *testscript.TestScript, args []string) (string, error) {
	var body io.Reader
	if len(args) > 2 {
		body = strings.NewReader(ts.ReadFile(args[2]))
	}
	req, err := http.NewRequest(args[0], s.url+args[1], body)
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	if token := ts.Getenv("TOKEN"); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := s.client().Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return fmt.Sprintf("%d\n%s\n", res.StatusCode, text), err
}

func (s *scriptServer) http(ts *testscript.TestScript, args []string) error {
	answer, err := s.ask(ts, args)
	if err == nil {
		_, err = io.WriteString(ts.Stdout(), answer)
	}
	return err
}

func (s *scriptServer) until(ts *testscript.TestScript, args []string) error {
	want := regexp.MustCompile("(?m)" + args[0])
	var answer string
	return eventually(func() (bool, error) {
		var err error
		answer, err = s.ask(ts, args[1:])
		return want.MatchString(answer), err
	}, func() string { return args[0] + " is not in:\n" + answer + s.stderr.String() })
}

func (s *scriptServer) logged(_ *testscript.TestScript, args []string) error {
	want := regexp.MustCompile("(?m)" + args[0])
	return eventually(func() (bool, error) { return want.MatchString(s.stderr.String()), nil },
		func() string { return args[0] + " is not in the log:\n" + s.stderr.String() })
}

func (s *scriptServer) refused(*testscript.TestScript, []string) error {
	address := strings.TrimPrefix(s.url, "http://")
	return eventually(func() (bool, error) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil, nil
	}, func() string { return "connections are still accepted" })
}

// eventually polls until it is done, or patience is at an end.
func eventually(done func() (bool, error), otherwise func() string) error {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok, err := done(); ok || err != nil {
			return err
		}
	}
	return fmt.Errorf("%s", otherwise())
}

func (s *scriptServer) hold(ts *testscript.TestScript, args []string) error {
	body := []byte(ts.ReadFile(args[0]))
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		return err
	}
	s.held, s.rest = conn, body[len(body)/2:]
	_, err = fmt.Fprintf(conn, "POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		len(body), body[:len(body)/2])
	if err != nil {
		return err
	}
	// The held request and the one that asks.
	return s.until(ts, []string{`^pdp_http_in_flight 2$`, http.MethodGet, "/metrics"})
}

func (s *scriptServer) release(ts *testscript.TestScript, _ []string) error {
	if _, err := s.held.Write(s.rest); err != nil {
		return err
	}
	if err := s.held.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	res, err := http.ReadResponse(bufio.NewReader(s.held), nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(ts.Stdout(), "%d\n%s\n", res.StatusCode, text)
	return err
}
