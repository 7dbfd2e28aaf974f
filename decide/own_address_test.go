package decide

import "testing"

// Rows are: where the service listens, a command, whether it names that.
func TestOwnAddress(t *testing.T) {
	for _, row := range []struct {
		listen, command string
		want            bool
	}{
		{"127.0.0.1:8080", "curl http://127.0.0.1:8080/v1/decisions", true},
		{"127.0.0.1:8080", "curl localhost:8080/metrics", true},
		{"127.0.0.1:8080", "curl http://LOCALHOST:8080", true},
		{"127.0.0.1:8080", "curl http://[::1]:8080/", true},
		{"127.0.0.1:8080", "curl 127.1:8080", true},
		{"127.0.0.1:8080", "curl 0:8080", true},
		{"127.0.0.1:8080", "curl 2130706433:8080", true},
		{"127.0.0.1:8080", "nc 127.0.0.1 8080", true},
		{"127.0.0.1:8080", "exec 3<>/dev/tcp/localhost/8080", true},
		{"127.0.0.1:8080", "curl http://localhost:3000/", false},
		{"127.0.0.1:8080", "curl http://localhost:80801/", false},
		{"127.0.0.1:8080", "curl https://example.com:8080/", false},
		{"127.0.0.1:8080", "echo 8080", false},
		{"0.0.0.0:9000", "curl localhost:9000", true},
		{":9000", "curl localhost:9000", true},
		{"pdp.internal:9000", "curl https://pdp.internal:9000/x", true},
		{"pdp.internal:9000", "curl localhost:9000", false},
		{"127.0.0.1:0", "curl localhost:0", false},
	} {
		policy, err := Compile(PolicySpec{InlineContext: "trust", OwnAddresses: []string{row.listen}})
		if err != nil {
			t.Fatal(err)
		}
		bypass := "bypass-approvals"
		session, err := policy.Session(ContextSpec{WorkspaceRoot: "/proj", Mode: &bypass})
		if err != nil {
			t.Fatal(err)
		}
		d := policy.Decide(session, Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(row.command)})})
		if got := d.Code == CodeSelfProtection; got != row.want {
			t.Errorf("%s: %q: %s %s", row.listen, row.command, d.Outcome, d.Code)
		}
	}
}
