package inspect

import (
	"os"
	"path/filepath"
	"strings"
)

// Exposure is a directory through which someone else may change what a path
// names.
type Exposure struct {
	Path   string `json:"path"`
	Mode   string `json:"mode"` // octal, with the sticky bit
	UID    uint32 `json:"uid"`
	Reason string `json:"reason"`
}

const (
	reasonOwner = "directory is owned by another user"
	reasonWorld = "directory is writable by everybody without the sticky bit"
	reasonGroup = "directory is writable by its group without the sticky bit"
	reasonName  = "sticky directory, in which others may make the missing entry"
	reasonEntry = "sticky directory, but the entry in it is owned by another user"
)

const (
	maxLinks = 40   // what the Linux kernel follows
	maxSteps = 4096 // more components than any path that the kernel accepts
)

// A walk visits every directory in which a name is looked up on the way to an
// object: those that the path spells and those behind each link.
type walk struct {
	exposures []Exposure
	complete  bool // every directory on the way was examined
	seen      map[string]bool
}

// walkTo looks up path step by step. It stops at the first name that does not
// exist: what matters then is who may make it.
func walkTo(path string) walk {
	w := walk{seen: map[string]bool{}}
	if path == "" || refusePath(path) != "" || !walksDirectories {
		return w
	}
	cur := string(filepath.Separator)
	if !filepath.IsAbs(path) {
		wd, err := os.Getwd()
		if err != nil {
			return w
		}
		path = wd + "/" + path
	}
	todo := strings.Split(path, "/")
	for steps, links := 0, 0; len(todo) > 0; steps++ {
		name := todo[0]
		todo = todo[1:]
		switch {
		case steps > maxSteps:
			return w
		case name == "" || name == ".":
			continue
		case name == "..":
			cur = filepath.Dir(cur)
			continue
		}
		next := filepath.Join(cur, name)
		st := SafeStat(next)
		if !w.visit(cur, st) {
			return w
		}
		if !st.OK {
			w.complete = st.missing
			return w
		}
		if !st.IsSymlink {
			cur = next
			continue
		}
		links++
		target, err := os.Readlink(next)
		if err != nil || links > maxLinks {
			return w
		}
		if filepath.IsAbs(target) {
			cur = string(filepath.Separator)
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	w.complete = true
	return w
}

// visit examines dir, in which the entry was looked up. It reports whether the
// directory could be examined.
func (w *walk) visit(dir string, entry Stat) bool {
	st := SafeStat(dir)
	if !st.OK || st.Mode == nil || st.UID == nil {
		return false
	}
	why := exposureOf(*st.Mode, *st.UID, entry)
	if why != "" && !w.seen[dir] {
		w.seen[dir] = true
		mode := *st.Mode & (permissionMask | bitSticky)
		w.exposures = append(w.exposures, Exposure{Path: dir, Mode: FormatOctal(&mode), UID: *st.UID, Reason: why})
	}
	return true
}

// exposureOf says why others may replace an entry of a directory, "" if they
// may not. Making or removing names takes the write and the search bit.
func exposureOf(mode, uid uint32, entry Stat) string {
	const worldChange, groupChange = 0o003, 0o030
	world := mode&worldChange == worldChange
	group := mode&groupChange == groupChange
	switch {
	case classOf(uid) == OwnerOther:
		return reasonOwner
	case mode&bitSticky != 0 && (world || group):
		if entry.missing {
			return reasonName
		}
		if entry.UID != nil && classOf(*entry.UID) == OwnerOther {
			return reasonEntry
		}
	case world:
		return reasonWorld
	case group:
		return reasonGroup
	}
	return ""
}
