package main

import (
	"fmt"
	"io"
	"net/http"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

// listen PATH reads a stream of events from now on.
func (s *scriptServer) listen(ts *testscript.TestScript, args []string) error {
	req, err := http.NewRequest(http.MethodGet, s.url+args[0], nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+ts.Getenv("TOKEN"))
	client := s.client()
	client.Timeout = 0 // the script ends the service, and that ends the stream
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		return fmt.Errorf("the stream answers %d %s", res.StatusCode, text)
	}
	s.events = &syncBuffer{}
	go func() {
		defer res.Body.Close()
		_, _ = io.Copy(s.events, res.Body)
	}()
	return nil
}

// heard PATTERN waits until the stream has a line that matches, and sets $1.
func (s *scriptServer) heard(ts *testscript.TestScript, args []string) error {
	want := regexp.MustCompile("(?m)" + args[0])
	return eventually(func() (bool, error) {
		found := want.FindStringSubmatch(s.events.String())
		if len(found) > 1 {
			ts.Setenv("1", found[1])
		}
		return found != nil, nil
	}, func() string { return args[0] + " is not in the stream:\n" + s.events.String() })
}

// takeField VARIABLE PATTERN sets a variable to what the pattern's group matches
// in the last standard output.
func takeField(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 2 {
		ts.Fatalf("usage: take VARIABLE PATTERN")
	}
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) < 2 {
		ts.Fatalf("%s is not in the output", args[1])
	}
	ts.Setenv(args[0], found[1])
}
