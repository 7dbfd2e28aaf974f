package programs

import (
	"slices"
	"strings"
)

// unpackers are programs that write the files of an archive below the directory
// that they are in, if one of their first words says so.
var unpackers = map[string]func(words []string) bool{
	"tar": tarExtracts, "bsdtar": tarExtracts, "gtar": tarExtracts,
	"unzip": func(words []string) bool {
		return !slices.ContainsFunc(words, func(w string) bool {
			return len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.ContainsAny(w, "lptvzZ")
		})
	},
	"7z": beginsX, "7za": beginsX, "7zr": beginsX, "7zz": beginsX, "unrar": beginsX, "rar": beginsX,
	"ar": beginsX, "jar": beginsX,
	"cpio": func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			return w == "--extract" || len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, "i")
		}) && !slices.ContainsFunc(words, func(w string) bool { return w == "-t" || w == "--list" })
	},
}

func beginsX(words []string) bool {
	return len(words) > 0 && strings.ContainsAny(strings.TrimLeft(words[0], "-")[:min(1, len(strings.TrimLeft(words[0], "-")))], "xe")
}

func tarExtracts(words []string) bool {
	for i, w := range words {
		switch {
		case strings.HasPrefix(w, "--"):
			if len(w) > 4 && (strings.HasPrefix("--extract", w) || w == "--get") {
				return true
			}
		case i == 0 || strings.HasPrefix(w, "-"):
			if strings.Contains(w, "x") {
				return true
			}
		}
	}
	return false
}

// Unpacks reports whether the command writes the files of an archive below the
// directory that it is in, behind wrappers as well.
func (t *Table) Unpacks(words []string) bool {
	for i, w := range t.HandedOver(words) {
		if unpacks := unpackers[t.Name(w)]; unpacks != nil && unpacks(words[i+1:]) {
			return true
		}
	}
	return false
}

// gitFills are the sub-commands of git that write the files of a work tree.
var gitFills = wordSet(`checkout restore reset switch checkout-index read-tree merge pull rebase stash cherry-pick revert apply am clean rm mv submodule sparse-checkout`)

// WorkTree returns the directory that git is told to take for its work tree, if
// the command writes there.
func WorkTree(words []string) (dir string, ok bool) {
	if !slices.ContainsFunc(words, func(w string) bool { return gitFills[w] }) {
		return "", false
	}
	for i, w := range words {
		if value, is := strings.CutPrefix(w, "--work-tree="); is {
			return value, true
		}
		if value, is := strings.CutPrefix(w, "GIT_WORK_TREE="); is {
			return value, true
		}
		if w == "--work-tree" && i+1 < len(words) {
			return words[i+1], true
		}
	}
	return "", false
}

// landWorkTree lists what git writes into a work tree that its words name, or in
// front of which they put a prefix.
func landWorkTree(words []string) []string {
	var landed distinct
	if dir, ok := WorkTree(words); ok {
		landed.add(dir)
		for _, w := range words[1:] {
			if w != "" && w[0] != '-' && w != dir {
				landed.add(strings.TrimRight(dir, "/") + "/" + w)
			}
		}
	}
	if !slices.Contains(words, "checkout-index") {
		return landed.list
	}
	for i, w := range words {
		prefix, ok := strings.CutPrefix(w, "--prefix=")
		if !ok && i > 0 && words[i-1] == "--prefix" {
			prefix, ok = w, true
		}
		if !ok || landed.full() {
			continue
		}
		landed.add(prefix)
		for _, w := range words[1:] {
			if w != "" && w[0] != '-' {
				landed.add(prefix + w)
			}
		}
	}
	return landed.list
}
