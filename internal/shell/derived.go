package shell

import (
	"slices"
	"strings"
)

// downloads are programs that name the file they write after the address.
var downloads = wordSet("wget curl")

// derived yields the paths that a command writes and that none of its words is:
// names inside a directory that sources are copied into, the last part of an
// address, files that a script of sed names, and git's own.
func (s Seen) derived(yield func(string, Role) bool) {
	if len(s.Words) == 0 {
		return
	}
	start := 0
	for i, w := range s.handedOver() {
		switch name := known.Name(w); {
		case name == "cp" || name == "mv" || name == "install" || name == "ln" || name == "rsync" || name == "scp":
			start = i
			if !into(s.Words[start:], yield) {
				return
			}
		case downloads[name]:
			if !downloaded(s.Words[i:], yield) {
				return
			}
		case name == "sed" || name == "gsed" || name == "awk" || name == "gawk":
			if !scriptWrites(s.Words[i:], yield) {
				return
			}
		}
	}
	for _, path := range s.gitWrites() {
		if !yield(path, Filled) {
			return
		}
	}
}

// into yields DIR/NAME for each source that a copy into DIR would make.
func into(words []string, yield func(string, Role) bool) bool {
	words = words[:ownWords(words)]
	var operands []string
	dir := ""
	for i := 1; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "-t" || w == "--target-directory":
			if i++; i < len(words) {
				dir = words[i]
			}
		case strings.HasPrefix(w, "--target-directory="):
			dir = w[len("--target-directory="):]
		case !isOption(w):
			operands = append(operands, w)
		}
	}
	if dir == "" && len(operands) > 1 {
		dir, operands = operands[len(operands)-1], operands[:len(operands)-1]
	}
	if dir == "" {
		return true
	}
	for _, source := range operands[:min(len(operands), maxBound)] {
		source = strings.TrimRight(source, "/")
		name := source[strings.LastIndexByte(source, '/')+1:]
		if name != "" && !yield(strings.TrimRight(dir, "/")+"/"+name, Filled) {
			return false
		}
	}
	return true
}

// downloaded yields the name that wget, or curl -O, gives to what it fetches.
func downloaded(words []string, yield func(string, Role) bool) bool {
	prefix, named := "", known.Name(words[0]) == "wget"
	for i, w := range words {
		short := strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--")
		named = named || w == "--remote-name" || w == "--remote-name-all" || short && strings.Contains(w, "O")
		if (w == "-P" || w == "--directory-prefix" || w == "--output-dir") && i+1 < len(words) {
			prefix = words[i+1] + "/"
		}
	}
	if !named {
		return true
	}
	for _, w := range words[1:] {
		address, _, _ := strings.Cut(w, "?")
		if at := strings.LastIndexByte(address, '/'); at >= 0 && !isOption(w) && at+1 < len(address) {
			if !yield(prefix+address[at+1:], Filled) {
				return false
			}
		}
	}
	return true
}

// scriptWrites yields what a script of sed or awk names as a file to write: the
// words behind w, W and >.
func scriptWrites(words []string, yield func(string, Role) bool) bool {
	if known.PlainScript(words) {
		return true
	}
	for _, w := range words[1:] {
		for _, mark := range [...]string{"w ", "W ", "> \"", ">\""} {
			for rest := w; ; {
				at := strings.Index(rest, mark)
				if at < 0 {
					break
				}
				rest = rest[at+len(mark):]
				name := strings.Trim(strings.TrimLeft(rest, "> \t"), "\"'")
				if end := strings.IndexAny(name, "\n;}\""); end >= 0 {
					name = name[:end]
				}
				if name != "" && !yield(strings.TrimSpace(name), Filled) {
					return false
				}
			}
		}
	}
	return true
}

// gitSettings are the beginnings of settings that name what git runs later.
var gitSettings = []string{
	"core.hookspath", "core.fsmonitor", "core.pager", "core.editor", "core.sshcommand", "core.gitproxy", "core.askpass", "core.attributesfile",
	"alias.", "diff.", "filter.", "merge.", "mergetool.", "difftool.", "credential.", "include.", "includeif.", "init.templatedir", "gpg.", "sequence.editor",
	"url.", "remote.", "protocol.", "pager.", "uploadpack.", "receive.", "submodule.", "browser.", "man.", "web.", "sendemail.", "interactive.",
}

// gitWrites returns what a git command writes apart from the files of the
// repository: its settings, and the directories and files that subcommands name.
func (s Seen) gitWrites() []string {
	at := slices.IndexFunc(s.Words, func(w string) bool { return known.Name(w) == "git" })
	if at < 0 {
		return nil
	}
	sub := at + 1
	for sub < len(s.Words) && isOption(s.Words[sub]) {
		if w := s.Words[sub]; w == "-C" || w == "-c" || w == "--git-dir" || w == "--work-tree" {
			sub++
		}
		sub++
	}
	if sub >= len(s.Words) {
		return nil
	}
	var operands []string
	rest := s.Words[sub+1:]
	for _, w := range rest {
		if !isOption(w) {
			operands = append(operands, w)
		}
	}
	switch s.Words[sub] {
	case "config":
		return gitConfigWrites(rest, operands)
	case "clone", "worktree", "submodule":
		return operands[min(1, len(operands)):]
	case "init", "mv", "rm", "restore", "checkout", "clean", "bundle":
		return operands
	case "apply", "am", "archive", "format-patch":
		var dirs []string
		for _, w := range rest {
			if dir, ok := strings.CutPrefix(w, "--directory="); ok {
				dirs = append(dirs, dir)
			}
		}
		return dirs
	}
	return nil
}

func gitConfigWrites(words, operands []string) []string {
	file := ".git/config"
	for i, w := range words {
		switch {
		case w == "--global":
			file = "~/.gitconfig"
		case w == "--system":
			file = "/etc/gitconfig"
		case (w == "-f" || w == "--file") && i+1 < len(words):
			file = words[i+1]
		case strings.HasPrefix(w, "--file="):
			file = w[len("--file="):]
		case strings.HasPrefix(w, "--get") || w == "--list" || w == "-l":
			return nil
		}
	}
	for i, w := range operands {
		setting := strings.ToLower(w)
		named := slices.ContainsFunc(gitSettings, func(b string) bool { return strings.HasPrefix(setting, b) })
		if named && (i+1 < len(operands) || slices.Contains(words, "--edit")) {
			return []string{file}
		}
	}
	return nil
}

// ownWords returns how many words belong to the command that begins at the
// first: behind -exec it ends with ; or +.
func ownWords(words []string) int {
	for i, w := range words {
		if w == ";" || w == "+" {
			return i
		}
	}
	return len(words)
}
