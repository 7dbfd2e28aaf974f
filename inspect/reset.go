package inspect

import (
	"slices"
	"strings"
)

// Reset describes the repair of a Windows object: full access for its user and
// for SYSTEM, nothing inherited, nobody else.
type Reset struct {
	Path  string
	IsDir bool
	// Env names the user (USERSID, else USERNAME and USERDOMAIN) and the system
	// directory (SystemRoot, WINDIR); nil is the environment of the process.
	Env map[string]string
	// OSUser is the user when Env names none.
	OSUser string
}

// Command is a program, its arguments and the same as a line for cmd.exe.
type Command struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Display string   `json:"display"`
}

// Command builds the icacls command. It is nil when the user is not known: the
// command takes inherited access away, and without a grant in the same breath it
// would lock the user out. It is also nil for text that would not stay inside
// its quotes on a command line.
func (r Reset) Command() *Command {
	env := orProcess(r.Env)
	user := resetUser(env, r.OSUser)
	if user == "" || breaksQuotes(r.Path) || breaksQuotes(user) {
		return nil
	}
	grant := ":F"
	if r.IsDir {
		grant = ":(OI)(CI)F"
	}
	cmd := Command{
		Command: icaclsPath(env),
		Args:    []string{r.Path, "/inheritance:r", "/grant:r", user + grant, "/grant:r", "*S-1-5-18" + grant},
	}
	cmd.Display = cmd.line()
	return &cmd
}

func (c Command) line() string {
	words := []string{c.Command}
	for _, arg := range c.Args {
		if !strings.HasPrefix(arg, "/inheritance:") && !strings.HasPrefix(arg, "/grant:") {
			arg = `"` + arg + `"`
		}
		words = append(words, arg)
	}
	return strings.Join(words, " ")
}

// resetUser prefers the SID: names of cloud accounts often do not map, and a
// name can belong to another account tomorrow.
func resetUser(env map[string]string, osUser string) string {
	if sid := userSID(env["USERSID"]); sid != "" {
		return "*" + strings.ToUpper(sid)
	}
	return UserPrincipal(env, osUser)
}

// breaksQuotes reports a quote or a control character. Neither can be part of a
// name on Windows.
func breaksQuotes(text string) bool {
	return strings.ContainsRune(text, '"') || strings.ContainsFunc(text, isControl)
}

const defaultSystemRoot = `C:\Windows`

// icaclsPath is the full path of icacls, so that no search path decides which
// program runs.
func icaclsPath(env map[string]string) string {
	for _, name := range []string{"SystemRoot", "WINDIR"} {
		root := trim(anyCase(env, name))
		if !isRooted(root) {
			continue
		}
		if root = strings.TrimRight(root, `\/`); root != "" {
			return cleanWindows(root + `\System32\icacls.exe`)
		}
	}
	return defaultSystemRoot + `\System32\icacls.exe`
}

// anyCase reads a variable as Windows does: the exact name first, then the first
// name, in order of the alphabet, that differs in case only.
func anyCase(env map[string]string, name string) string {
	if value, ok := env[name]; ok {
		return value
	}
	var names []string
	for key := range env {
		if lower(key) == lower(name) {
			names = append(names, key)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return env[names[0]]
}

func isRooted(path string) bool {
	if path == "" {
		return false
	}
	return isSlash(path[0]) || len(path) > 2 && isLetter(path[0]) && path[1] == ':' && isSlash(path[2])
}

// cleanWindows normalises a rooted Windows path: one kind of separator, no empty
// or dot components, nothing above the root.
func cleanWindows(path string) string {
	path = strings.ReplaceAll(path, "/", `\`)
	root, rest := `\`, path
	switch {
	case strings.HasPrefix(path, `\\`):
		server, tail, _ := strings.Cut(strings.TrimLeft(path, `\`), `\`)
		share, tail, _ := strings.Cut(tail, `\`)
		root, rest = `\\`+server+`\`+share+`\`, tail
	case len(path) > 1 && path[1] == ':':
		root, rest = path[:2]+`\`, path[2:]
	}
	var kept []string
	for part := range strings.SplitSeq(rest, `\`) {
		switch {
		case part == "" || part == ".":
		case part == "..":
			if len(kept) > 0 {
				kept = kept[:len(kept)-1]
			}
		default:
			kept = append(kept, part)
		}
	}
	return root + strings.Join(kept, `\`)
}
