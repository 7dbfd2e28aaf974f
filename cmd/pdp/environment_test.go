package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
)

// Rows are variables of the environment and what is told of them: nothing, that
// they are not known (unknown), or which one was meant.
func TestVariablesOfTheEnvironment(t *testing.T) {
	for _, row := range []struct{ entry, told string }{
		{"PATH=/bin", ""},
		{"PDP_POLICY=p.yaml", ""},
		{"PDP_ADMIN_TOKEN=x", ""},
		{"PDP_STATEDIR=/x", "PDP_STATE_DIR"},
		{"PDP_POLCY=p.yaml", "PDP_POLICY"},
		{"pdp_policy=p.yaml", "PDP_POLICY"},
		{"PDP_POLICY_=p.yaml", "PDP_POLICY"},
		{"PDP_POLCY=", ""}, // as good as none
		{"PDP_SOMETHING_ELSE=1", "unknown"},
		{"PDP_TEST_POSTGRES_URL=postgres://x", ""},
		{"PDP_SERVICE_HOST=10.0.0.1", ""}, // of a service pdp in Kubernetes
		{"PDP_PORT=tcp://10.0.0.1:8080", ""},
		{"PDP_PORT_8080_TCP_ADDR=10.0.0.1", ""},
		{"PDP_STORE_SERVICE_PORT_HTTP=1", ""},
	} {
		unknown, err := unknownVariables([]string{row.entry})
		name, _, _ := strings.Cut(row.entry, "=")
		switch {
		case row.told == "unknown":
			if err != nil || !slices.Equal(unknown, []string{name}) {
				t.Errorf("%s: %q, %v", row.entry, unknown, err)
			}
		case row.told == "":
			if err != nil || len(unknown) > 0 {
				t.Errorf("%s: %q, %v", row.entry, unknown, err)
			}
		case err == nil || !strings.HasSuffix(err.Error(), "did you mean "+row.told+"?"):
			t.Errorf("%s: %v", row.entry, err)
		}
	}
	code := runIn(context.Background(), []string{"policy", "show"}, nil, io.Discard, io.Discard, func(string) string { return "" }, []string{"PDP_POLCY=x"})
	if code != exitUsage {
		t.Errorf("exit %d", code)
	}
	for _, args := range []string{"help", "--help", "policy --help"} {
		if code := runIn(context.Background(), strings.Fields(args), nil, io.Discard, io.Discard, func(string) string { return "" }, []string{"PDP_POLCY=x"}); code != exitOK {
			t.Errorf("%s: exit %d", args, code)
		}
	}
}
