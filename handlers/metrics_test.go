package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/agent-pdp/pdp/decide"
)

func TestDecisionsAreCounted(t *testing.T) {
	s := trustingService(t, nil)
	for range 3 {
		ask(t, s, "POST", "/v1/decisions", gitStatus)
	}
	ask(t, s, "POST", "/v1/decisions/batch", `{"requests":[`+gitStatus+`,{}]}`)
	ask(t, s, "POST", "/v1/decisions", strings.Replace(gitStatus, "run_shell", "made_up_by_a_client", 1))
	text := ask(t, s, "GET", "/metrics", "").text
	for _, line := range []string{
		`pdp_decisions_total{code="command_allowlisted",mode="interactive",outcome="allow",risk="exec"} 4`,
		`pdp_tool_calls_total{outcome="allow",tool="run_shell"} 4`,
		`pdp_tool_calls_total{outcome="ask",tool="other"} 1`,
		`pdp_decision_duration_seconds_count 5`,
		`pdp_http_requests_total{method="POST",route="/v1/decisions",status="200"} 4`,
		`pdp_http_request_duration_seconds_count{route="/v1/decisions"} 4`,
		`pdp_http_in_flight 1`,
		`pdp_http_shed_total 0`,
		`go_goroutines`,
	} {
		if !strings.Contains(text, line) {
			t.Errorf("%s is missing", line)
		}
	}
	if strings.Contains(text, "made_up") {
		t.Error("a client's word is a label")
	}
}

// Clients cannot add series.
func TestSeriesAreBounded(t *testing.T) {
	s := trustingService(t, nil)
	for i := range 50 {
		ask(t, s, "GET", fmt.Sprintf("/v1/x%d", i), "")
		ask(t, s, fmt.Sprintf("XQ%d", i), "/v1/decisions", "")
	}
	if n := testutil.CollectAndCount(s.Metrics.requests); n != 2 {
		t.Errorf("there are %d series, want GET and other, unmatched", n)
	}
	name := []byte("send_message")
	for i := range 1 << 8 {
		for bit := range 8 { // each way to write eight of the letters
			name[bit] = "send_mes"[bit]
			if i>>bit&1 == 1 && name[bit] != '_' {
				name[bit] -= 'a' - 'A'
			}
		}
		ask(t, s, "POST", "/v1/decisions", strings.Replace(gitStatus, "run_shell", string(name), 1))
	}
	if n := testutil.CollectAndCount(s.Metrics.toolCalls); n > 6 {
		t.Errorf("one tool has %d series", n)
	}
}

func TestToolsAreBounded(t *testing.T) {
	m := NewMetrics()
	for i := range 2 * maxTools {
		m.decided(&verdict{tool: fmt.Sprint("tool", i)})
	}
	if n := len(*m.byTool.Load()); n > maxTools+1 {
		t.Errorf("there are %d tools", n)
	}
}

func TestUnknownLabelsAreOther(t *testing.T) {
	m := NewMetrics()
	v := verdict{tool: otherLabel}
	v.record.Decision = decide.Decision{Code: "from_a_later_version", Mode: 99, Risk: 99}
	m.decided(&v)
	if n := testutil.ToFloat64(m.decisions.WithLabelValues("deny", "other", "other", "other")); n != 1 {
		t.Errorf("counted %v", n)
	}
}

func TestPolicyMetrics(t *testing.T) {
	m := NewMetrics()
	m.PolicyLoaded("sha256:a", time.Unix(100, 0))
	m.PolicyLoaded("sha256:b", time.Unix(200, 5e8))
	m.PolicyReloadFailed()
	expected := `
# HELP pdp_policy_info The policy in force; the value is always 1.
# TYPE pdp_policy_info gauge
pdp_policy_info{revision="sha256:b"} 1
# HELP pdp_policy_last_reload_success_timestamp_seconds When the policy in force was loaded.
# TYPE pdp_policy_last_reload_success_timestamp_seconds gauge
pdp_policy_last_reload_success_timestamp_seconds 200.5
# HELP pdp_policy_last_reload_successful 1 if the last attempt to load a policy succeeded, else 0.
# TYPE pdp_policy_last_reload_successful gauge
pdp_policy_last_reload_successful 0
# HELP pdp_policy_reload_failures_total Policies that could not be loaded; the one before stayed in force.
# TYPE pdp_policy_reload_failures_total counter
pdp_policy_reload_failures_total 1
`
	if err := testutil.GatherAndCompare(m.registry, strings.NewReader(expected), "pdp_policy_info",
		"pdp_policy_last_reload_success_timestamp_seconds", "pdp_policy_last_reload_successful", "pdp_policy_reload_failures_total"); err != nil {
		t.Error(err)
	}
}
