package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestTally(t *testing.T) {
	rows := []struct {
		name                    string
		events                  string
		passed, failed, skipped int
		prints                  string
	}{
		{
			name: "a package whose tests pass prints its one line",
			events: `{"Action":"output","Package":"p","Test":"TestA","Output":"noise\n"}
{"Action":"pass","Package":"p","Test":"TestA/one"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.01s\n"}
{"Action":"pass","Package":"p"}`,
			passed: 2,
			prints: "ok  \tp\t0.01s\n",
		},
		{
			name: "a failed test prints its output and does not count its package",
			events: `{"Action":"output","Package":"p","Test":"TestA","Output":"a_test.go:1: no\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.01s\n"}
{"Action":"fail","Package":"p"}`,
			failed: 1,
			prints: "a_test.go:1: no\nFAIL\tp\t0.01s\n",
		},
		{
			name: "a package that does not build is one failure",
			events: `{"ImportPath":"p [p.test]","Action":"build-output","Output":"p.go:1: undefined: x\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}`,
			failed: 1,
			prints: "p.go:1: undefined: x\nFAIL\tp [build failed]\n",
		},
		{
			name: "a test that a panic cut off has failed",
			events: `{"Action":"output","Package":"p","Test":"TestA","Output":"panic: x\n"}
{"Action":"fail","Package":"p"}`,
			failed: 1,
			prints: "panic: x\n",
		},
		{
			name: "a skip says why",
			events: `{"Action":"output","Package":"p","Test":"TestA","Output":"no kernel\n"}
{"Action":"skip","Package":"p","Test":"TestA"}`,
			skipped: 1,
			prints:  "no kernel\n",
		},
		{
			name:   "a line that is no event is passed on",
			events: "make: *** [test] Error 1",
			prints: "make: *** [test] Error 1",
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var out bytes.Buffer
			got := newTally(&out)
			if err := got.read(strings.NewReader(row.events)); err != nil {
				t.Fatal(err)
			}
			if got.passed != row.passed || got.failed != row.failed || got.skipped != row.skipped {
				t.Errorf("passed, failed, skipped = %d, %d, %d; want %d, %d, %d",
					got.passed, got.failed, got.skipped, row.passed, row.failed, row.skipped)
			}
			if out.String() != row.prints {
				t.Errorf("printed %q, want %q", out.String(), row.prints)
			}
		})
	}
}
