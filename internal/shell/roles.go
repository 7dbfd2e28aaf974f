package shell

import (
	"iter"
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/programs"
)

// Role is what a command does with a word that may be a path.
type Role uint8

const (
	Named   Role = iota // it is there; nothing says what for
	Filled              // written, or a directory that something is written into
	Deleted             // removed or changed with everything below it
)

// Writes reports whether the command writes to the word.
func (r Role) Writes() bool { return r != Named }

// writer says which operands of a program are written.
type writer struct {
	role Role
	last bool // only the last operand; the ones before it are sources
	skip int  // operands that are no path, such as a mode
	from Role // what happens to the sources
}

var writers = map[string]writer{
	"cp": {role: Filled, last: true}, "install": {role: Filled, last: true}, "ln": {role: Filled, last: true},
	"rsync": {role: Filled, last: true}, "scp": {role: Filled, last: true},
	"mv":  {role: Filled, last: true, from: Deleted},
	"tee": {role: Filled}, "touch": {role: Filled}, "mkdir": {role: Filled}, "truncate": {role: Filled}, "mkfifo": {role: Filled}, "mknod": {role: Filled, last: true},
	"rm": {role: Deleted}, "rmdir": {role: Deleted}, "shred": {role: Deleted}, "unlink": {role: Deleted},
	"uniq": {role: Filled, skip: 1}, "xxd": {role: Filled, skip: 1}, "split": {role: Filled, skip: 1}, "csplit": {role: Filled, skip: 1},
	"patch": {role: Filled}, "sponge": {role: Filled}, "link": {role: Filled, last: true}, "zip": {role: Filled}, "ed": {role: Filled}, "ex": {role: Filled},
	"gzip": {role: Deleted}, "gunzip": {role: Deleted}, "bzip2": {role: Deleted}, "xz": {role: Deleted}, "zstd": {role: Filled},
	"mktemp": {role: Filled}, "sqlite3": {role: Filled}, "vim": {role: Filled}, "vi": {role: Filled}, "nvim": {role: Filled}, "setfacl": {role: Deleted, skip: 1}, "xattr": {role: Deleted, skip: 1},
	"chmod": {role: Deleted, skip: 1}, "chown": {role: Deleted, skip: 1}, "chgrp": {role: Deleted, skip: 1}, "chattr": {role: Deleted, skip: 1},
}

// outputOptions are followed by a file, or a directory, that is written; the
// programs that give another meaning to one of them, or a further one, follow.
var (
	outputOptions = wordSet("-o --output --output-file --output-dir")
	programOutput = map[string]map[string]bool{
		"cp": intoDirectory, "mv": intoDirectory, "install": intoDirectory, "ln": intoDirectory,
		"wget":    wordSet("-O -o -a -P --output-document --output-file --append-output --directory-prefix --save-cookies"),
		"curl":    wordSet("-o -D -c --output --output-dir --dump-header --cookie-jar --trace --trace-ascii --stderr --libcurl --etag-save --hsts"),
		"tar":     extracts,
		"gtar":    extracts,
		"bsdtar":  extracts,
		"unzip":   wordSet("-d"),
		"patch":   wordSet("-o -r -d --output --reject-file --directory"),
		"sort":    wordSet("-o --output"),
		"shuf":    wordSet("-o --output"),
		"iconv":   wordSet("-o --output"),
		"csplit":  wordSet("-f --prefix"),
		"gpg":     wordSet("-o --output"),
		"cpio":    wordSet("-O -D -F --directory --file"),
		"split":   wordSet(""),
		"openssl": wordSet("-out -writerand"),
		"grep":    reads, "egrep": reads, "fgrep": reads, "ugrep": reads, "rg": reads, "ls": reads, "find": reads, "ps": reads, "ssh": reads,
		"set": reads, "test": reads, "[": reads, "tail": reads, "head": reads, "cat": reads, "git": wordSet("--output --output-directory -o"),
	}
	intoDirectory = wordSet("-t --target-directory")
	extracts      = wordSet("-C --directory --one-top-level --index-file")
	reads         = map[string]bool{}
)

// outputs returns the output options of the programs in the command.
func (s Seen) outputs() outputSet {
	var set outputSet
	for _, w := range s.handedOver() {
		set = append(set, outputsOf(known.Name(w)))
	}
	return set
}

func outputsOf(program string) map[string]bool {
	if own, known := programOutput[program]; known {
		return own
	}
	return outputOptions
}

// outputSet are the options of all programs of a command that are followed by
// something that is written.
type outputSet []map[string]bool

func (set outputSet) has(option string) bool {
	return slices.ContainsFunc(set, func(own map[string]bool) bool { return own[option] })
}

func (set outputSet) abbreviated(name string) bool {
	for _, own := range set {
		for o := range own {
			if strings.HasPrefix(o, name) {
				return true
			}
		}
	}
	return false
}

// output splits an option word into the output option and its attached value.
func output(options outputSet, w string) (value string, ok bool) {
	if w == "" || w[0] != '-' && w[0] != '+' {
		return "", options.has(w)
	}
	name, value, attached := strings.Cut(w, "=")
	switch {
	case options.has(w):
		return "", true
	case strings.HasPrefix(w, "--"):
		return value, len(name) > 4 && options.abbreviated(name)
	case attached:
		return value, options.has(name)
	case len(w) > 2:
		return w[2:], options.has(w[:2])
	}
	return "", false
}

// Writer reports whether the command plainly writes somewhere.
func (s Seen) Writer() bool {
	if len(s.Writes) > 0 {
		return true
	}
	if s.plain() { // most commands are, and need no lists
		name := known.Name(s.Words[0])
		return s.writes(name) || s.hasOutput(outputSet{outputsOf(name)})
	}
	for _, w := range s.handedOver() {
		if s.writes(known.Name(w)) {
			return true
		}
	}
	return s.hasOutput(s.outputs())
}

// plain reports whether the first word is the only program.
func (s Seen) plain() bool {
	return len(s.Words) > 0 && !wraps(s.Words[0]) && !slices.ContainsFunc(s.Words, isExec)
}

func (s Seen) writes(program string) bool {
	switch program {
	case "dd":
		return true
	case "find":
		return slices.ContainsFunc(s.Words, func(w string) bool { return w == "-delete" || strings.HasPrefix(w, "-fprint") || w == "-fls" })
	case "git":
		return len(s.gitWrites()) > 0
	case "sed", "gsed", "awk", "gawk":
		if !known.PlainScript(s.Words) {
			return true
		}
	}
	_, ok := s.rule(program)
	return ok || downloads[program]
}

// rule returns what a program does to its operands, which for some depends on
// an option.
func (s Seen) rule(program string) (writer, bool) {
	switch program {
	case "sed", "gsed", "perl", "ruby":
		return writer{role: Filled, skip: 1}, inPlace(s.Words)
	case "awk", "gawk", "mawk", "nawk":
		return writer{role: Filled, skip: 1}, slices.Contains(s.Words, "inplace") || slices.Contains(s.Words, "-iinplace")
	case "find":
		return writer{role: Deleted}, slices.Contains(s.Words, "-delete")
	}
	rule, ok := writers[program]
	return rule, ok
}

func (s Seen) hasOutput(options outputSet) bool {
	for _, w := range s.Words {
		if _, ok := output(options, w); ok {
			return true
		}
	}
	return false
}

func inPlace(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return strings.HasPrefix(w, "--in") || strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.ContainsAny(w, "iI")
	})
}

// PathWords yields every word that may be a path, with what the command does
// to it. A word may come more than once.
func (s Seen) PathWords() iter.Seq2[string, Role] {
	return func(yield func(string, Role) bool) {
		for _, w := range s.Writes {
			if !yield(w, Filled) {
				return
			}
		}
		for _, w := range s.Reads {
			if !yield(w, Named) {
				return
			}
		}
		more := true
		s.operands(func(w string, r Role) bool { more = yield(w, r); return more })
		if more {
			s.derived(yield)
		}
	}
}

func (s Seen) operands(yield func(string, Role) bool) {
	roles, options := s.roles(), s.outputs()
	due := false // the word before is an output option without its value
	for i, w := range s.Words {
		role := roles[i]
		if due {
			role, due = max(role, Filled), false
		}
		switch name, value, assigned := strings.Cut(w, "="); {
		case strings.HasPrefix(w, "-") && len(w) > 1:
			attached, out := output(options, w)
			due = out && attached == ""
			if out {
				role = max(role, Filled)
			}
			w = attached
		case assigned && isName(name):
			if name == "of" {
				role = Filled
			}
			if !yield(value, role) {
				return
			}
		}
		w = strings.TrimPrefix(strings.TrimPrefix(w, "@"), "file://")
		if w != "" && !yield(w, role) {
			return
		}
		// REVISION:PATH, HOST:PATH and NAME=@PATH hold a path behind the sign.
		if at := strings.LastIndexAny(w, ":@"); at >= 0 && at+1 < len(w) && !strings.Contains(w, "://") && !yield(w[at+1:], Named) {
			return
		}
	}
}

// maxRules bounds the programs of one command that are looked at closely;
// behind more of them every word counts as written.
const maxRules = 16

// roles says for each word what the programs in the command do to it; behind a
// wrapper the inner program counts as well.
func (s Seen) roles() []Role {
	roles := make([]Role, len(s.Words))
	rules := 0
	for i, w := range s.handedOver() {
		rule, ok := s.rule(known.Name(w))
		if !ok {
			continue
		}
		if rules++; rules > maxRules {
			for j := i; j < len(roles); j++ {
				roles[j] = Deleted
			}
			break
		}
		rule.apply(s.Words[i:], roles[i:])
	}
	return roles
}

func (rule writer) apply(words []string, roles []Role) {
	last, operands := 0, 0
	for i, w := range words[:ownWords(words)] {
		if i == 0 || strings.HasPrefix(w, "-") && len(w) > 1 {
			continue
		}
		if operands++; operands <= rule.skip {
			continue
		}
		last = i
		if rule.last {
			roles[i] = max(roles[i], rule.from)
		} else {
			roles[i] = max(roles[i], rule.role)
		}
	}
	if rule.last && last > 0 && operands > 1 {
		roles[last] = rule.role
	}
}

// ChangesTo returns the directory that the command changes to, if it is a cd.
func (s Seen) ChangesTo() (string, bool) {
	if len(s.Words) < 2 || s.Words[0] != "cd" && s.Words[0] != "pushd" {
		return "", false
	}
	return s.Words[len(s.Words)-1], true
}

// RunsFile reports whether the command runs a file by its path, or gives one
// to an interpreter, so that its text does not say what it does.
func (s Seen) RunsFile() bool {
	due := true // the word may be the program
	for i, w := range s.handedOver() {
		name := known.Name(w)
		switch {
		case due && strings.Contains(w, "/") && !systemFile(w) && !isOption(w):
			return true
		case name == "source" || name == ".":
			return true
		case known.Kind(name) == programs.Interpreter && i+1 < len(s.Words) && looksLikeFile(s.Words[i+1]):
			return true
		}
		// A wrapper's options, their values, and its assignments and numbers
		// stand between it and the program.
		value := due && i > 0 && isOption(s.Words[i-1])
		due = wraps(w) || due && (isOption(w) || isAssignment(w) || value || strings.Trim(w, "0123456789.smhd") == "")
	}
	return false
}

// systemFile reports whether a file lies where only the system's own package
// manager writes.
func systemFile(w string) bool {
	for _, dir := range [...]string{"/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/"} {
		if strings.HasPrefix(w, dir) && !strings.Contains(w, "/../") {
			return true
		}
	}
	return false
}

func looksLikeFile(w string) bool {
	return !strings.HasPrefix(w, "-") && strings.ContainsAny(w, "./")
}

func isOption(w string) bool { return len(w) > 1 && (w[0] == '-' || w[0] == '+' || w[0] == '@') }

// MovesTrees reports whether the command puts whole directories in place.
func (s Seen) MovesTrees() bool {
	for _, w := range s.handedOver() {
		if treeMovers[known.Name(w)] {
			return true
		}
	}
	return false
}

var treeMovers = wordSet("cp mv rsync ln tar bsdtar unzip install")
