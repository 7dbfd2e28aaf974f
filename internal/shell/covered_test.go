package shell

import "github.com/agent-pdp/pdp/internal/programs"

// CoveredBy asks the built-in table; redirections to files do not count as
// covered, which callers other than tests may decide otherwise.
func (c *Command) CoveredBy(m Matching, lists ...Prefixes) bool {
	cov := c.Cover(m, Lists{Table: programs.Builtin(), Prefixes: lists})
	return cov.Covered && len(cov.Outputs) == 0
}
