//go:build browser && unix

package handlers

import (
	"context"
	"encoding/base64"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var screenshots = flag.String("screenshots", "", "directory for pictures of what the browser shows")

// A person opens the page, opens the first operation, tries it out, and sees
// the decision. Nothing else in the world is asked, and nothing is blocked.
func TestBrowserTriesADecision(t *testing.T) {
	server := httptest.NewServer(trustingService(t, nil))
	t.Cleanup(server.Close)
	tab := openTab(t, server.URL+"/docs/")

	tab.eval(t, `await until(() => document.querySelector("#operations-decisions-decide"))`)
	tab.picture(t, "page")
	title := tab.eval(t, `return document.title`)
	if !strings.Contains(title, "pdp") {
		t.Errorf("the title is %q", title)
	}
	status := tab.eval(t, `
		const op = await until(() => document.querySelector("#operations-decisions-decide"));
		op.querySelector(".opblock-summary-control").click();
		(await until(() => op.querySelector(".try-out__btn"))).click();
		(await until(() => op.querySelector(".execute"))).click();
		const row = await until(() => op.querySelector(".live-responses-table tbody .response-col_status"));
		return row.innerText.trim();`)
	if !strings.HasPrefix(status, "200") {
		t.Errorf("the answer's row shows %q", status)
	}
	body := tab.eval(t, `return document.querySelector(".live-responses-table .highlight-code").innerText`)
	if !strings.Contains(body, "command_allowlisted") {
		t.Errorf("the answer's body shows %q", body)
	}
	tab.eval(t, `document.querySelector(".live-responses-table").scrollIntoView()`)
	tab.picture(t, "answer")

	// Every operation opens, so that everything the viewer draws is drawn.
	tab.eval(t, `for (const c of document.querySelectorAll(".opblock:not(.is-open) .opblock-summary-control")) { c.click(); }
		await until(() => !document.querySelector(".opblock:not(.is-open)"))`)
	tab.eval(t, `document.querySelector(".models button, .models-control").click()`)

	requests, complaints := tab.seen()
	for _, url := range requests {
		if !strings.HasPrefix(url, server.URL+"/") && !strings.HasPrefix(url, "data:") {
			t.Errorf("the page asked %s", url)
		}
	}
	if len(requests) < 6 {
		t.Errorf("only %v were asked: are requests seen at all?", requests)
	}
	for _, c := range complaints {
		t.Errorf("the console shows: %s", c)
	}

	// Silence means something: what the policy forbids is blocked, and heard.
	tab.eval(t, `const blocked = new Promise((done) => document.addEventListener("securitypolicyviolation", done));
		new Image().src = "http://elsewhere.invalid/x.png"; await blocked`)
	if _, complaints := tab.seen(); len(complaints) == 0 {
		t.Error("a blocked request leaves no trace in the console")
	}
}

// tab is one page of a Chromium that is driven through a pipe.
type tab struct {
	out     *os.File
	session string
	lastID  int
	answers chan message
	done    chan struct{} // closed when the browser's pipe has ended
	// Written by the reader, read after a later answer has come through answers.
	requests, complaints []string
}

// message is any message of the browser: an answer has an id, an event a
// method.
type message struct {
	ID     int            `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  jsontext.Value `json:"error"`
}

func openTab(t *testing.T, url string) *tab {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("these tests need Chromium: apt-get install chromium")
	}
	fromUs, toBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromBrowser, toUs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	cmd := exec.CommandContext(ctx, program,
		"--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--window-size=1280,1000", "--user-data-dir="+t.TempDir(), "about:blank")
	cmd.ExtraFiles = []*os.File{fromUs, toUs} // 3 and 4, where the browser expects them
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fromUs.Close()
	toUs.Close()
	p := &tab{out: toBrowser, answers: make(chan message), done: make(chan struct{})}
	go p.read(fromBrowser)
	t.Cleanup(func() {
		toBrowser.Close() // ends the browser
		for range p.answers {
		}
		<-p.done
		_ = cmd.Wait()
		cancel()
		fromBrowser.Close()
	})

	var target struct {
		ID      string `json:"targetId"`
		Session string `json:"sessionId"`
	}
	p.call(t, "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	p.call(t, "Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}, &target)
	p.session = target.Session
	for _, domain := range []string{"Page", "Network", "Runtime", "Log"} {
		p.call(t, domain+".enable", nil, nil)
	}
	p.call(t, "Page.navigate", map[string]any{"url": url}, nil)
	return p
}

// read hands answers over, and notes what the page asks for and complains of.
func (p *tab) read(in *os.File) {
	defer close(p.done)
	defer close(p.answers)
	dec := newMessageReader(in)
	for {
		text, err := dec.next()
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(text, &m) != nil {
			continue
		}
		switch m.Method {
		case "":
			p.answers <- m
		case "Network.requestWillBeSent":
			var e struct {
				Request struct {
					URL string `json:"url"`
				} `json:"request"`
			}
			_ = json.Unmarshal(m.Params, &e)
			p.requests = append(p.requests, e.Request.URL)
		case "Log.entryAdded", "Runtime.exceptionThrown":
			p.complaints = append(p.complaints, string(m.Params))
		case "Runtime.consoleAPICalled":
			if strings.Contains(string(m.Params), `"type":"error"`) {
				p.complaints = append(p.complaints, string(m.Params))
			}
		}
	}
}

// messageReader splits the pipe at the NUL that ends each message.
type messageReader struct {
	in   *os.File
	rest []byte
}

func newMessageReader(in *os.File) *messageReader { return &messageReader{in: in} }

func (r *messageReader) next() ([]byte, error) {
	chunk := make([]byte, 64<<10)
	for {
		for i, c := range r.rest {
			if c == 0 {
				text := r.rest[:i]
				r.rest = r.rest[i+1:]
				return text, nil
			}
		}
		n, err := r.in.Read(chunk)
		if err != nil {
			return nil, err
		}
		r.rest = append(r.rest, chunk[:n]...)
	}
}

func (p *tab) call(t *testing.T, method string, params, result any) {
	t.Helper()
	p.lastID++
	command := map[string]any{"id": p.lastID, "method": method}
	if params != nil {
		command["params"] = params
	}
	if p.session != "" {
		command["sessionId"] = p.session
	}
	text, err := json.Marshal(command)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.out.Write(append(text, 0)); err != nil {
		t.Fatal(err)
	}
	m, ok := <-p.answers
	switch {
	case !ok:
		t.Fatalf("%s: the browser has ended", method)
	case m.ID != p.lastID || m.Error != nil:
		t.Fatalf("%s: %s", method, m.Error)
	case result != nil:
		if err := json.Unmarshal(m.Result, result); err != nil {
			t.Fatal(err)
		}
	}
}

// eval runs the body of an async function in the page. Its function until
// waits for something to become true.
func (p *tab) eval(t *testing.T, body string) string {
	t.Helper()
	script := fmt.Sprintf(`(async () => {
		const until = async (test) => {
			for (let tries = 0; tries < 600; tries++) {
				const found = test();
				if (found) { return found; }
				await new Promise((next) => setTimeout(next, 50));
			}
			throw new Error("it never became true: " + test);
		};
		%s
	})()`, body)
	var answer struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
		Exception jsontext.Value `json:"exceptionDetails"`
	}
	p.call(t, "Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true}, &answer)
	if answer.Exception != nil {
		t.Fatalf("the page throws: %s", answer.Exception)
	}
	text, _ := answer.Result.Value.(string)
	return text
}

func (p *tab) seen() (requests, complaints []string) { return p.requests, p.complaints }

func (p *tab) picture(t *testing.T, name string) {
	t.Helper()
	if *screenshots == "" {
		return
	}
	var shot struct {
		Data string `json:"data"`
	}
	p.call(t, "Page.captureScreenshot", map[string]any{}, &shot)
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(*screenshots+"/"+name+".png", png, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
