package decide

import (
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
)

// throughProcess returns what a word names that leads by way of a process: its
// working directory, its root, or a directory that it holds open. No tool is
// let open such a path; in a command, the process is one that the text starts.
func (r *wordReader) throughProcess(word, dir string, at []string) []string {
	return throughProcess(word, dir, at, r.opened)
}

// throughProcess reads a word from a directory; at are the directories that a
// process may work in, opened those that it may hold open. A path that stays in
// what is said of the process comes without its dots.
func throughProcess(word, dir string, at, opened []string) (words []string) {
	if !strings.HasPrefix(word, "/") {
		if dir != "/" && !strings.Contains(word, "..") && !strings.HasPrefix(dir, "/proc") && !strings.HasPrefix(dir, "/dev") {
			return nil
		}
		word = strings.TrimSuffix(dir, "/") + "/" + word
	}
	const most = 8 // one behind the other
	for range most {
		link, rest, ok := processLink(word)
		if !ok {
			if rest != "" && rest != word {
				words = append(words, rest)
			}
			break
		}
		if link == rootLink {
			word = "/" + rest
			if words = append(words, word); rest == "" {
				break
			}
			continue
		}
		dirs := at
		if link == openLink {
			if rest == "" {
				break
			}
			dirs = append(opened[:len(opened):len(opened)], at...)
		}
		for _, dir := range dirs[:min(len(dirs), 2*maxDirs)] {
			if _, _, again := processLink(dir + "/" + rest); !again {
				words = append(words, strings.TrimSuffix(dir, "/")+"/"+rest)
			}
		}
		break
	}
	return words
}

// processLinkKind is where a link of a process leads.
type processLinkKind uint8

const (
	rootLink processLinkKind = iota
	workLink
	openLink
)

// processLink finds the first link of a process that a path leads through, and
// returns what is behind it. Where there is none, rest is the path without its
// dots, if it lies where processes do.
func processLink(path string) (link processLinkKind, rest string, ok bool) {
	if !strings.HasPrefix(path, "/") {
		return 0, "", false
	}
	var buf [8]string
	names := buf[:0]
	climbs := strings.Contains(path, "/..")
	for i := 1; i < len(path); {
		end := strings.IndexByte(path[i:], '/')
		if end < 0 {
			end = len(path) - i
		}
		name := path[i : i+end]
		i = min(i+end+1, len(path))
		switch name {
		case "", ".":
			continue
		case "..":
			names = above(names)
			continue
		}
		names = append(names, name)
		if !climbs && len(names) == 1 && !mayBe(name, "proc") && !mayBe(name, "dev") {
			break
		}
		if link, ok := linkOf(names); ok {
			return link, strings.TrimLeft(path[i:], "/"), true
		}
		if len(names) > 6 {
			names = append(names, path[i:])
			break
		}
	}
	if len(names) == 0 || !mayBe(names[0], "proc") && !mayBe(names[0], "dev") {
		return 0, "", false
	}
	return 0, "/" + strings.Join(names, "/"), false
}

// above takes the last name away, as the file system does: some of these
// directories are links.
func above(names []string) []string {
	n := len(names)
	switch {
	case n == 0:
		return names
	case n == 2 && mayBe(names[0], "dev") && mayBe(names[1], "fd"):
		return append(names[:0], "proc", "self")
	case n == 2 && names[1] == "thread-self":
		return append(names[:0], "proc", "self", "task")
	case n == 2 && mayBe(names[0], "proc") && names[1] == "net":
		return append(names[:0], "proc", "self")
	}
	return names[:n-1]
}

func linkOf(names []string) (processLinkKind, bool) {
	n := len(names)
	if n < 3 {
		return 0, false
	}
	last := names[n-1]
	if n == 3 && mayBe(names[0], "dev") && mayBe(names[1], "fd") {
		return openLink, true
	}
	if !mayBe(names[0], "proc") || !isProcess(names[1]) {
		return 0, false
	}
	if n == 5 && mayBe(names[2], "task") || n == 6 && mayBe(names[2], "task") {
		names, n = names[2:], n-2
	}
	switch {
	case n == 3 && mayBe(last, "root"):
		return rootLink, true
	case n == 3 && mayBe(last, "cwd"):
		return workLink, true
	case n == 4 && mayBe(names[2], "fd"):
		return openLink, true
	}
	return 0, false
}

func isProcess(name string) bool {
	return name == "self" || name == "thread-self" || strings.Trim(name, "0123456789") == "" || strings.ContainsAny(name, "$`*?[{")
}

// mayBe reports whether a component is a name, or the shell could fill it in so.
func mayBe(component, name string) bool {
	if component == name {
		return true
	}
	return strings.ContainsAny(component, "*?[{$`") && (strings.ContainsAny(component, "{$`") || paths.MayFill(paths.Lossy(component), name))
}
