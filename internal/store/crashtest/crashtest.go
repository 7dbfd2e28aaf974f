// Package crashtest kills processes that write to a store, at random moments,
// and checks what the store promises of them: what was acknowledged is there,
// nothing is there by half, and an approval for one call lets one call pass.
//
// It kills a process, not a machine: whether a disk keeps what it was told to
// sync is not tested here.
package crashtest

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// Variables of the environment. PDP_CRASHES is how many processes are killed,
// PDP_CRASH_SEED repeats the choices of an earlier run.
const (
	countVariable = "PDP_CRASHES"
	seedVariable  = "PDP_CRASH_SEED"
	childVariable = "PDP_CRASH_CHILD"
	nameVariable  = "PDP_CRASH_RUN"
)

// Without PDP_CRASHES so many are killed.
const defaultCount = 10

// Target is the database of a test.
type Target struct {
	// Address is what a child process gives to open.
	Address string
	// Server, if there is one, ends the server and starts it again. It is called at
	// every tenth death, before the process is killed.
	Server func()
}

// Run runs the test. It starts the test that calls it once more in other
// processes, so that fresh must come to the same test there: it is called in the
// parent only.
func Run(t *testing.T, open func(ctx context.Context, address string) (store.Store, error), fresh func() Target) {
	if address := os.Getenv(childVariable); address != "" {
		work(open, address, os.Getenv(nameVariable))
		return
	}
	seed := number(t, seedVariable, time.Now().UnixNano())
	count := int(number(t, countVariable, defaultCount))
	t.Logf("%s=%d", seedVariable, seed)
	c := &crashes{
		t: t, open: open, target: fresh(), random: rand.New(rand.NewPCG(uint64(seed), 1)),
		book: newBook(),
	}
	for n := range count {
		c.kill(n)
		if t.Failed() {
			t.Fatalf("after %d deaths; %s=%d", n+1, seedVariable, seed)
		}
	}
	c.check(true)
	t.Logf("%d deaths (%d of the server too): %s", count, c.servers, c.book.summary())
}

func number(t *testing.T, variable string, otherwise int64) int64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

type crashes struct {
	t       *testing.T
	open    func(ctx context.Context, address string) (store.Store, error)
	target  Target
	random  *rand.Rand
	book    *book
	servers int
}

// A run that makes no progress in this time hangs.
const patience = 2 * time.Minute

// kill starts a process, notes what it acknowledges until it dies, and checks the
// store.
func (c *crashes) kill(n int) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+c.t.Name()+"$")
	cmd.Env = append(os.Environ(), childVariable+"="+c.target.Address, fmt.Sprintf("%s=%06d", nameVariable, n))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}

	var told atomic.Int64
	reached := make(chan struct{})
	goal := int64(-1)
	delay := time.Duration(c.random.Int64N(int64(5 * time.Millisecond)))
	server := c.target.Server != nil && n%10 == 9
	if c.random.IntN(4) > 0 || server {
		goal = 1 + c.random.Int64N(250)
	} else {
		// While it opens the store, or little later.
		delay = time.Duration(c.random.Int64N(int64(120 * time.Millisecond)))
	}
	ended := make(chan []string)
	go func() {
		var lines []string
		in := bufio.NewReader(out)
		for {
			line, err := in.ReadString('\n')
			if err != nil { // a line that was cut short was not said
				ended <- lines
				return
			}
			lines = append(lines, strings.TrimSuffix(line, "\n"))
			if told.Add(1) == goal {
				close(reached)
			}
		}
	}()
	var lines []string
	over := false
	if goal >= 0 {
		select {
		case <-reached:
		case lines = <-ended:
			over = true
		}
	}
	if !over {
		time.Sleep(delay)
		if server {
			c.servers++
			c.target.Server()
		}
		_ = cmd.Process.Kill()
		lines = <-ended
	}
	_ = cmd.Wait()
	if over || ctx.Err() != nil {
		c.t.Fatalf("the process ended by itself: %v; it said last: %q", ctx.Err(), lines[max(0, len(lines)-3):])
	}
	for _, line := range lines {
		if problem := c.book.note(line, server); problem != "" {
			c.t.Errorf("%q: %s", line, problem)
		}
	}
	c.check(false)
}

// check opens the store and compares it with the book.
func (c *crashes) check(everything bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := c.open(ctx, c.target.Address)
	if err != nil {
		c.t.Fatal(err)
	}
	defer s.Close()
	for _, problem := range c.book.compare(ctx, s, everything) {
		c.t.Error(problem)
	}
}
