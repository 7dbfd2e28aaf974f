package decide

import (
	"fmt"
	"testing"
)

func benchPolicy(b *testing.B, n int) *Policy {
	b.Helper()
	spec := PolicySpec{InlineContext: "trust", Home: "/home/me"}
	for i := range n {
		spec.AllowedCommands = append(spec.AllowedCommands, fmt.Sprintf("tool%d run%d", i, i))
		spec.AllowedDomains = append(spec.AllowedDomains, fmt.Sprintf("host%d.example%d.com", i, i))
	}
	spec.AllowedCommands = append(spec.AllowedCommands, "git status")
	spec.AllowedDomains = append(spec.AllowedDomains, "python.org")
	p, err := Compile(spec)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func benchSession(b *testing.B, p *Policy, spec ContextSpec) Session {
	b.Helper()
	s, err := p.Session(spec)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// Decisions without file access, record and id included.
func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		p := benchPolicy(b, n)
		s := benchSession(b, p, ContextSpec{WorkspaceRoot: "/w"})
		for _, row := range []struct {
			name string
			call Call
			want Code
		}{
			{"read", Call{Tool: "read_file", Arguments: NewObject(Member{"path", Text("README.md")})}, CodeLowRisk},
			{"command", Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text("git status -s")})}, CodeCommandAllowlisted},
			{"egress", Call{Tool: "web_fetch", Arguments: NewObject(Member{"url", Text("https://docs.python.org/3/")})}, CodeDomainAllowed},
		} {
			b.Run(fmt.Sprintf("%s/%d", row.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if r := NewRecord(p.Decide(s, row.call)); r.Code != row.want {
						b.Fatal(r.Code, r.Reason)
					}
				}
			})
		}
	}
}

// A read under deny lists of absolute paths, whose links are followed each time.
func BenchmarkDenyPaths(b *testing.B) {
	dir := b.TempDir()
	for _, n := range []int{1, 10, 100} {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("%s/d%d/secret%d", dir, i%4, i))
		}
		p, err := Compile(PolicySpec{InlineContext: "trust", Deny: ListsSpec{Paths: list}})
		if err != nil {
			b.Fatal(err)
		}
		s := benchSession(b, p, ContextSpec{WorkspaceRoot: dir})
		call := Call{Tool: "read_file", Arguments: NewObject(Member{"path", Text("README.md")})}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if d := p.Decide(s, call); d.Code != CodeLowRisk {
					b.Fatal(d.Code, d.Reason)
				}
			}
		})
	}
}
