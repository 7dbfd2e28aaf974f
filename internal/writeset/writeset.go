// Package writeset reads the text of a patch or diff and lists every path that
// applying it could touch.
//
// It does not ask which applier will run. Appliers disagree about prefixes,
// time stamps, quotes, blanks, line ends and damaged hunks, so the answer is
// the union of their readings: a name may appear as given and with its first
// component stripped, with and without what follows a TAB, quoted and decoded.
// A reading that no applier takes costs the caller one more path to judge; a
// reading that is missing would let a write through unseen.
//
// Where the text may hold changes that the package cannot list (an ed script,
// a context diff, no header at all) [Set.Unsure] says so, and the paths that
// were found stay in the set: each of them is still worth judging.
//
// Not promised: strip levels deeper than one and the bare base name that
// patch(1) takes without -p; the side files of an applier (x.orig, x.rej,
// temporary files, parent directories made or removed); patches wrapped in a
// mail transfer encoding. Paths are text, as written: nothing here looks at a
// file system, resolves dots or follows a link.
package writeset

import "strconv"

const (
	// MaxText is the longest text read, in bytes; a longer one is Unsure.
	MaxText = 1 << 20
	// MaxPaths bounds a Set; a text that names more is Unsure.
	MaxPaths = 10_000
)

// Op is what a patch says it does to a path. It is a hint for messages and for
// link handling; the applier decides in the end, so every Op counts as a write.
type Op uint8

// The operations. The zero value is the plain write.
const (
	Write  Op = iota // change the contents
	Create           // a new file
	Delete           // the file goes away
	Rename           // either end of a rename
	Copy             // either end of a copy
	Link             // make or change a symbolic link, see Path.Target
	Mode             // change the permission bits only
)

var opNames = [...]string{"write", "create", "delete", "rename", "copy", "link", "mode"}

// String names the operation in lower case.
func (op Op) String() string {
	if int(op) < len(opNames) {
		return opNames[op]
	}
	return "op(" + strconv.Itoa(int(op)) + ")"
}

// A Path is one reading of one name in the text.
type Path struct {
	Text   string // as written after decoding; "" is the workspace root
	Op     Op
	Target string // of a Link: where it will point; "" when it cannot be read
}

// A Set is every path that applying one text could touch, in order of
// appearance, without duplicates. The zero Set is not located.
type Set struct {
	Paths []Path
	// Mentioned are names in lines that look like a header and are content of a
	// hunk: no applier touches them. The first permission engine did not know
	// hunks and judged these, so whoever must never be laxer about some files
	// than it was can still look for them here.
	Mentioned []string
	// Unsure is why the list may be incomplete, in a few words; empty when it
	// is complete.
	Unsure string
}

// Located reports whether the set is complete and not empty.
func (s Set) Located() bool { return s.Unsure == "" && len(s.Paths) > 0 }

// The reasons that a text cannot be read in full.
const (
	unsureTooLong   = "text longer than 1 MiB"
	unsureTooMany   = "more than 10000 paths"
	unsureNoHeader  = "no file header"
	unsureSpelling  = "no file header in the usual spelling"
	unsureUnknown   = "unknown header"
	unsureDirectory = "change of directory before the patch"
	unsureEd        = "ed script or normal diff"
	unsureContext   = "context diff"
	unsureSeparator = "line separator inside a header"
	unsureNUL       = "NUL byte in a header"
	unsureGitNames  = "git header whose names cannot be told apart"
	unsureLink      = "symbolic link of several lines"
)

// collector builds a Set.
type collector struct {
	set   Set
	ops   map[string]opSet  // ops seen for each text
	links map[Path]struct{} // links seen, with their targets
}

type opSet uint8

func (c *collector) unsure(reason string) {
	if c.set.Unsure == "" {
		c.set.Unsure = reason
	}
}

func (c *collector) add(p Path) {
	bit := opSet(1) << p.Op
	if c.ops[p.Text]&bit != 0 && p.Op != Link {
		return
	}
	if p.Op == Link {
		if _, ok := c.links[p]; ok {
			return
		}
	}
	if len(c.set.Paths) >= MaxPaths {
		c.unsure(unsureTooMany)
		return
	}
	if c.ops == nil {
		c.ops = make(map[string]opSet)
	}
	c.ops[p.Text] |= bit
	if p.Op == Link {
		if c.links == nil {
			c.links = make(map[Path]struct{})
		}
		c.links[p] = struct{}{}
	}
	c.set.Paths = append(c.set.Paths, p)
}

// addText adds a plain write unless the text is there with any operation.
func (c *collector) addText(text string) {
	if c.ops[text] == 0 {
		c.add(Path{Text: text})
	}
}

// mention keeps a name that is not in the set.
func (c *collector) mention(text string) {
	switch {
	case c.ops[text] != 0:
	case len(c.set.Mentioned) >= MaxPaths:
		c.unsure(unsureTooMany)
	case len(c.set.Mentioned) == 0 || c.set.Mentioned[len(c.set.Mentioned)-1] != text:
		c.set.Mentioned = append(c.set.Mentioned, text)
	}
}
