package policyfile

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agent-pdp/pdp/decide"
)

const starterHead = `# The policy of a policy decision point: what agents may do without asking.
#
# To use a key, remove the # in front of its lines. "pdp policy check FILE" finds
# mistakes, "pdp policy show FILE" prints what holds, defaults included. A running
# service reads a new version by itself, and keeps the last good one.
`

// Starter returns a commented policy that names every key. As it is, it asks
// before everything that has consequences.
func Starter() []byte {
	var b strings.Builder
	b.WriteString(starterHead)
	for _, k := range keys(newFile("")) {
		b.WriteString("\n")
		eachLine(&b, "# ", k.doc)
		if k.active {
			eachLine(&b, "", k.example)
		} else {
			eachLine(&b, "#", k.example)
		}
	}
	return []byte(b.String())
}

func eachLine(b *strings.Builder, prefix, text string) {
	for line := range strings.Lines(text) {
		b.WriteString(prefix + strings.TrimSuffix(line, "\n") + "\n")
	}
}

// Show returns the effective policy as a policy file: every key, and whether
// its value is the file's or the default.
func (f *File) Show() []byte {
	var b bytes.Buffer
	b.WriteString("# revision: " + f.Revision + "\n")
	for _, k := range keys(f) {
		n := k.value.write()
		if n == nil {
			b.WriteString("# " + k.name + " is not set\n")
			continue
		}
		name := textNode(k.name)
		if !f.given[k.name] {
			name.HeadComment = "default:"
		}
		enc := yaml.NewEncoder(&b)
		enc.SetIndent(2)
		// Encoding a node that was just built into memory does not fail.
		_ = enc.Encode(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{name, n}})
		_ = enc.Close()
	}
	return b.Bytes()
}

// Rules counts the entries of all lists: a number by which a person sees that
// the file they meant was read.
func (f *File) Rules() int {
	s := &f.Spec
	n := len(s.Roots) + len(s.AllowedCommands) + len(s.AllowedDomains) + len(s.AutoAllowTools) +
		len(s.RiskOverrides) + len(s.ProtectedPaths) + len(s.DeferredExecution) + len(s.PersistentAuthorityTools) +
		len(s.Tools) + len(s.AllowPrivateNetworks)
	for _, targets := range s.StandingRules {
		n += len(targets)
	}
	for _, l := range []decide.ListsSpec{s.Deny, s.Ask} {
		n += len(l.Tools) + len(l.Commands) + len(l.Domains) + len(l.Paths)
	}
	return n
}
