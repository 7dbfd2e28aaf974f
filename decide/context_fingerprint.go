package decide

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
)

// Fingerprint identifies a context: the audit log names it in place of the
// whole. Two contexts that say the same in the same order have the same one.
func (c *ContextSpec) Fingerprint() string {
	d := digest{sha256.New()}
	mode := ""
	if c.Mode != nil {
		mode = *c.Mode
	}
	d.text("pdp context 1", c.WorkspaceRoot, mode, c.Cwd, c.Home, c.OS, c.Shell)
	d.number(len(c.Roots))
	if c.Roots == nil {
		d.text("the workspace")
	}
	for _, r := range c.Roots {
		d.text(r.Path)
		d.flag(r.Writable)
	}
	for _, list := range [...][]string{
		c.AllowedCommands, c.AllowedDomains, c.AutoAllowTools, c.ProtectedPaths,
		c.Deny.Tools, c.Deny.Commands, c.Deny.Domains, c.Deny.Paths,
		c.Ask.Tools, c.Ask.Commands, c.Ask.Domains, c.Ask.Paths,
		c.Grants.Tools, c.Grants.Commands, c.Grants.Domains,
	} {
		d.list(list)
	}
	d.flag(c.Grants.ReadOnlyCommands)
	d.number(len(c.RiskOverrides))
	for _, v := range c.RiskOverrides {
		d.value(v)
	}
	d.number(len(c.StandingRules))
	for _, tool := range slices.Sorted(maps.Keys(c.StandingRules)) {
		d.text(tool)
		d.list(c.StandingRules[tool])
	}
	sum := d.sum()
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (d digest) list(texts []string) {
	d.number(len(texts))
	d.text(texts...)
}

func (d digest) flag(b bool) {
	n := 0
	if b {
		n = 1
	}
	d.number(n)
}
