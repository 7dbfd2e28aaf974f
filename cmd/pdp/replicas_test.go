package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/store/postgres/pgtest"
)

// revokedWithin is what is promised: how long another replica may honour what was
// taken back.
const revokedWithin = 2 * time.Second

const replicaAdmin = "correct-horse-battery-staple"

// replica is one pdp serve.
type replica struct {
	t    *testing.T
	name string
	url  string
	log  syncBuffer
}

func startReplica(t *testing.T, name, store string) *replica {
	t.Helper()
	program, err := exec.LookPath("pdp") // that of testscript
	if err != nil {
		t.Fatal(err)
	}
	r := &replica{t: t, name: name}
	cmd := exec.Command(program, "serve", "--listen=127.0.0.1:0", "--store", store)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "PDP_ADMIN_TOKEN=" + replicaAdmin}
	cmd.Stderr = &r.log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		t.Fatalf("%s is not ready: %s", name, r.log.String())
	}
	r.url = regexp.MustCompile(`http://[^,\s]+`).FindString(line)
	return r
}

// do sends a request and returns status and body, as one text.
func (r *replica) do(method, path, body string) string {
	r.t.Helper()
	req, err := http.NewRequest(method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+replicaAdmin)
	client := &http.Client{Timeout: patience}
	res, err := client.Do(req)
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", r.name, err, r.log.String())
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", res.StatusCode, bytes.TrimSpace(text))
}

func (r *replica) expect(method, path, body, want string) string {
	r.t.Helper()
	got := r.do(method, path, body)
	if !regexp.MustCompile(want).MatchString(got) {
		r.t.Fatalf("%s: %s %s: %s\nwant %s\n%s", r.name, method, path, got, want, r.log.String())
	}
	return got
}

const (
	replicaCall = `{"session_id":"one","call":{"tool_name":"run_shell","arguments":{"command":"make test"}}}`
	allowed     = `^200 .*"outcome":"allow"`
	asked       = `^200 .*"outcome":"ask"`
)

func TestReplicasShareADatabase(t *testing.T) {
	url := pgtest.Place(t)
	one, two := startReplica(t, "one", url), startReplica(t, "two", strings.Replace(url, "postgres://", "postgresql://", 1))

	// Written through one, seen by the other at once.
	one.expect("PUT", "/v1/sessions/one", `{"workspace_root":"/proj/app"}`, "^201 ")
	two.expect("GET", "/v1/sessions/one", "", `^200 .*"/proj/app"`)
	two.expect("POST", "/v1/decisions", replicaCall, asked)
	one.expect("POST", "/v1/decisions", replicaCall, asked)

	for _, row := range []struct{ here, there *replica }{{one, two}, {two, one}} {
		answer := row.here.expect("POST", "/v1/sessions/one/grants", `{"kind":"command","value":"make test"}`, "^201 ")
		found := regexp.MustCompile(`"id":"([^"]+)"`).FindStringSubmatch(answer)
		if found == nil {
			t.Fatal(answer)
		}
		// It is in what both remember.
		row.here.expect("POST", "/v1/decisions", replicaCall, allowed)
		if err := eventually(func() (bool, error) {
			return regexp.MustCompile(allowed).MatchString(row.there.do("POST", "/v1/decisions", replicaCall)), nil
		}, func() string { return row.there.name + " does not see the grant" }); err != nil {
			t.Fatal(err)
		}

		row.here.expect("DELETE", "/v1/sessions/one/grants/"+found[1], "", "^20[04]")
		revoked := time.Now()
		row.here.expect("POST", "/v1/decisions", replicaCall, asked)
		// However slow the machine is: what is asked after that time is not allowed.
		for {
			begun := time.Now()
			answer := row.there.do("POST", "/v1/decisions", replicaCall)
			if late := begun.Sub(revoked); late >= revokedWithin {
				if !regexp.MustCompile(asked).MatchString(answer) {
					t.Errorf("%s, %v after the grant was revoked elsewhere: %s", row.there.name, late, answer)
				}
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		row.there.expect("GET", "/v1/sessions/one/grants", "", `^200 .*\[\]`)
	}

	one.expect("DELETE", "/v1/sessions/one", "", "^20[04]")
	two.expect("GET", "/v1/sessions/one", "", "^404 ")
}

// Whatever is wrong with the address of a store, its password is not printed.
func TestNoPasswordIsPrinted(t *testing.T) {
	for what, address := range map[string]string{
		"no server":                              "postgres://pdp:hunter2@127.0.0.1:1/none",
		"no server, the other name":              "postgresql://pdp:hunter2@127.0.0.1:1/none",
		"in the query":                           "postgres://127.0.0.1:1/none?user=pdp&password=hunter2",
		"of the key":                             "postgres://127.0.0.1:1/none?sslmode=require&sslpassword=hunter2",
		"a bad port":                             "postgres://pdp:hunter2@127.0.0.1:port/none",
		"a bad escape":                           "postgres://pdp:hunter2%zz@127.0.0.1:1/none",
		"a character to escape":                  "postgres://pdp:hunter2/x@127.0.0.1:1/none",
		"a hash":                                 "postgres://pdp:hunter2#x@127.0.0.1:1/none",
		"an at":                                  "postgres://pdp:x@hunter2@127.0.0.1:1/none",
		"a space":                                "postgres://pdp:hunter2 x@127.0.0.1:1/none",
		"a line":                                 "postgres://pdp:hunter2\nx@127.0.0.1:1/none",
		"a bad parameter":                        "postgres://pdp:hunter2@127.0.0.1:1/none?sslmode=perhaps",
		"a bad parameter, password in the query": "postgres://127.0.0.1:1/none?password=hunter2&sslmode=perhaps",
		"no slashes":                             "postgres:pdp:hunter2@127.0.0.1:1/none",
		"one slash":                              "postgres:/pdp:hunter2@127.0.0.1:1/none",
		"in capitals":                            "POSTGRES://pdp:hunter2@127.0.0.1:1/none",
		"words":                                  "host=127.0.0.1 port=1 password=hunter2",
		"words behind a scheme":                  "postgres:host=127.0.0.1 port=1 password=hunter2",
		"another database":                       "mysql://pdp:hunter2@127.0.0.1:1/none",
		"no scheme":                              "pdp:hunter2@127.0.0.1:1/none",
	} {
		t.Run(what, func(t *testing.T) {
			code, out, errs := pdp(t, map[string]string{"HOME": t.TempDir()}, "", "serve", "--listen=127.0.0.1:0", "--store", address)
			if code == exitOK || out != "" || errs == "" || strings.Contains(errs, "hunter2") {
				t.Errorf("exit %d: %s%s", code, out, errs)
			}
		})
	}
}
