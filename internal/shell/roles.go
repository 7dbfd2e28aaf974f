package shell

import (
	"iter"
	"slices"
	"strings"
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
	"tee": {role: Filled}, "touch": {role: Filled}, "truncate": {role: Filled}, "mkfifo": {role: Filled}, "mknod": {role: Filled, last: true},
	"rm": {role: Deleted}, "rmdir": {role: Deleted}, "shred": {role: Deleted}, "unlink": {role: Deleted},
	"chmod": {role: Deleted, skip: 1}, "chown": {role: Deleted, skip: 1}, "chgrp": {role: Deleted, skip: 1}, "chattr": {role: Deleted, skip: 1},
}

// outputOptions are followed by a file, or a directory, that is written.
var outputOptions = wordSet("-o -O --output --output-document --target-directory -t --directory-prefix")

// Writer reports whether the command plainly writes somewhere.
func (s Seen) Writer() bool {
	if len(s.Writes) > 0 {
		return true
	}
	for i, w := range s.handedOver() {
		name := programName(w)
		if _, ok := writers[name]; ok || name == "dd" || (name == "sed" || name == "gsed") && inPlace(s.Words[i:]) {
			return true
		}
	}
	return slices.ContainsFunc(s.Words, func(w string) bool { return outputOptions[w] })
}

func inPlace(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return strings.HasPrefix(w, "--in") || strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "i")
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
		s.operands(yield)
	}
}

func (s Seen) operands(yield func(string, Role) bool) {
	roles := s.roles()
	for i, w := range s.Words {
		role := roles[i]
		if i > 0 && outputOptions[s.Words[i-1]] {
			role = max(role, Filled)
		}
		if strings.HasPrefix(w, "-") && len(w) > 1 {
			name, value, ok := strings.Cut(w, "=")
			switch {
			case ok && outputOptions[name]:
				role = Filled
			case !ok && !strings.HasPrefix(w, "--") && len(w) > 2:
				value = w[2:]
			}
			w = value
		} else if name, value, ok := strings.Cut(w, "="); ok && isName(name) {
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
		name := programName(w)
		rule, ok := writers[name]
		if name == "sed" || name == "gsed" {
			rule, ok = writer{role: Filled, skip: 1}, inPlace(s.Words[i:])
		}
		if name == "find" && slices.Contains(s.Words, "-delete") {
			rule, ok = writer{role: Deleted}, true
		}
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
	for i, w := range words {
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
	for i, w := range s.handedOver() {
		if strings.Contains(w, "/") && !systemFile(w) && (i == 0 || classes[programName(s.Words[i-1])] != plain) && !strings.HasPrefix(w, "-") {
			return true
		}
		switch name := programName(w); {
		case name == "source" || name == ".":
			return true
		case classes[name] == interpreter && i+1 < len(s.Words) && looksLikeFile(s.Words[i+1]):
			return true
		}
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

// IsPattern reports whether the ith word is the pattern or script that a
// program such as grep or sed takes first.
func (s Simple) IsPattern(i int) bool {
	name := s.Words[0]
	if !patternFirst[name] {
		return false
	}
	if patternValue[s.Words[i-1]] {
		return true
	}
	for j, w := range s.Words[1:] {
		if !strings.HasPrefix(w, "-") {
			return j+1 == i && !givesPattern(name, s.Words[1:])
		}
	}
	return false
}
