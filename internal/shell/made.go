package shell

import (
	"maps"
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/programs"
)

// made is what a text makes and runs by itself: the names of files that it
// writes, and of those that it runs, without their directories.
type made struct {
	written, run map[string]bool
	both         []string        // written and run: also by a pattern, and by the mark for what a program comes across
	cut          bool            // there are more
	called       map[string]bool // of those that it runs, by a path or as a word of a program that runs it
}

// makes looks for files that commands write and run. They are told by their last
// component, so that no directory has to be followed.
func makes(commands []Seen, runners *inputRunners, left *int) made {
	m := made{written: map[string]bool{}, run: map[string]bool{}, called: map[string]bool{}}
	var set *values
	became := map[string][]string{}
	add := func(names map[string]bool, word string) {
		names[baseName(word)] = true
		if !isFilled(word) || m.cut {
			return
		}
		if known, ok := became[word]; ok {
			for _, name := range known {
				names[name] = true
			}
			return
		}
		if set == nil {
			v := valuesOf(commands, left)
			set = &v
		}
		for _, picked := range set.rounds() {
			words, whole := set.filled([]string{word}, picked)
			m.cut = m.cut || !whole || *left <= 0
			for _, w := range words {
				if name := baseName(w); !slices.Contains(became[word], name) {
					became[word] = append(became[word], name)
				}
			}
		}
		for _, name := range became[word] {
			names[name] = true
		}
	}
	for _, c := range commands {
		for _, w := range c.Writes {
			add(m.written, w)
		}
		if known.Writer(c.Words) {
			for w, role := range known.Roles(c.Words) {
				if role.Writes() {
					add(m.written, w)
				}
			}
		}
	}
	if len(m.written) == 0 {
		return m
	}
	for i, c := range commands {
		for _, w := range known.HandedOver(c.Words) {
			if strings.IndexByte(w, '/') >= 0 {
				add(m.called, w)
			}
		}
		for at := range known.Run(c.Words) {
			add(m.run, c.Words[at])
		}
		for _, w := range known.MayRun(c.Words) {
			add(m.called, w)
		}
		for _, w := range known.Sourced(c.Words) {
			add(m.called, w)
		}
		if runners.at(commands, i) {
			for _, w := range c.Reads {
				add(m.called, w)
			}
		}
	}
	for name := range m.called {
		m.run[name] = true
	}
	m.both = m.writtenAndRun()
	return m
}

// itself reports whether a file that the text writes is one that it runs.
func (m made) itself() bool {
	return len(m.both) > 0
}

// writtenAndRun lists what is in both.
func (m made) writtenAndRun() (names []string) {
	if len(m.written) == 0 {
		return nil
	}
	compared := 0
	for name := range m.run {
		if m.written[name] {
			names = append(names, name)
		}
		if !isGlob(name) && name != "{}" {
			continue
		}
		if compared += len(m.written); compared > maxMadeCompared { // any of them
			return slices.Collect(maps.Keys(m.written))
		}
		wild := paths.NewWild(paths.Lossy(strings.ReplaceAll(name, "{}", "*")))
		for name := range m.written {
			if !m.run[name] && wild.MayFill(name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// maxMadeCompared bounds the names that are compared with patterns.
const maxMadeCompared = 1 << 10

// makers returns the programs of the text that read a file which it writes by
// its name: make its makefile.
func (m made) makers(commands []Seen) (names []string) {
	for _, c := range commands {
		for _, w := range known.HandedOver(c.Words) {
			name := known.Name(w)
			if files := ownFiles[name]; slices.ContainsFunc(files, func(file string) bool { return m.written[file] }) || len(files) > 0 && m.itself() {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// ownFiles are the files in which programs look for what they run.
var ownFiles = map[string][]string{
	"make": {"makefile", "gnumakefile"}, "gmake": {"makefile", "gnumakefile"},
	"npm": {"package.json"}, "yarn": {"package.json"}, "pnpm": {"package.json"}, "bun": {"package.json"},
	"deno": {"deno.json", "deno.jsonc"}, "composer": {"composer.json"},
	"docker": imageFiles, "podman": imageFiles, "nerdctl": imageFiles, "buildah": imageFiles,
	"ninja": {"build.ninja"}, "samu": {"build.ninja"}, "cmake": {"cmakelists.txt"}, "ant": {"build.xml"}, "rake": {"rakefile"},
	"gradle": gradleFiles, "gradlew": gradleFiles, "foreman": procfiles, "honcho": procfiles, "overmind": procfiles,
	"just": {"justfile", ".justfile"}, "task": {"taskfile.yml", "taskfile.yaml"},
}

var (
	imageFiles  = []string{"dockerfile", "containerfile"}
	gradleFiles = []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "init.gradle"}
	procfiles   = []string{"procfile"}
)

// otherNames adds the commands that run a program by a name which the text gives
// it: ln, cp, mv and their like, what copies a file by its content, and hash.
func (s *scanner) otherNames() {
	if s.full {
		return
	}
	names := map[string][]string{}
	for _, c := range s.seen {
		sources, name := copied(c)
		if name == "" || len(sources) == 0 {
			continue
		}
		name = baseName(name)
		if len(names[name])+len(sources) > maxBound || len(names) > maxBound {
			s.full = true
			return
		}
		names[name] = append(names[name], sources...)
	}
	if both := s.made.both; len(both) > 0 { // by whatever the text makes them of the system's programs
		var system fewTexts
		for _, c := range s.seen {
			for _, w := range c.Words {
				if programs.SystemFile(w) {
					system.add([]string{w})
				}
			}
			system.add(slices.DeleteFunc(slices.Clone(c.Reads), func(w string) bool { return !programs.SystemFile(w) }))
		}
		s.full = s.full || system.cut
		for _, name := range both {
			names[name] = append(names[name], system.list...)
		}
	}
	if len(names) == 0 {
		return
	}
	for _, c := range s.seen { // not those that are added
		for at, w := range known.HandedOver(c.Words) {
			if names[baseName(w)] == nil || isOption(w) {
				continue
			}
			for _, source := range s.everyName(names, baseName(w)) {
				if s.work += len(c.Words) - at; s.work > s.most || s.full {
					s.full = true
					return
				}
				other := slices.Clone(c.Words[at:])
				other[0] = source
				s.again(s.allPrinted(other))
			}
		}
	}
}

// everyName lists what a file of that name may be: its sources, and theirs.
func (s *scanner) everyName(names map[string][]string, name string) (sources []string) {
	asked := map[string]bool{name: true}
	for todo := []string{name}; len(todo) > 0; todo = todo[1:] {
		for _, source := range names[todo[0]] {
			base := baseName(source)
			if s.work++; asked[base] {
				continue
			}
			if asked[base] = true; len(sources) == maxBound {
				s.full = true
				return sources
			}
			sources, todo = append(sources, source), append(todo, base)
		}
	}
	return sources
}

// maxCopied is how many operands a command may have that gives one file a name,
// with values of options among them. More are copied into a directory, where they
// keep their names.
const maxCopied = 5

// copied returns the files that a command makes another of, and its name.
func copied(c Seen) (sources []string, name string) {
	for at, w := range known.HandedOver(c.Words) {
		rest := c.Words[at+1:]
		switch known.Name(w) {
		case "hash": // hash -p PATH NAME, and zsh's hash NAME=PATH
			for _, w := range rest {
				if name, path, ok := strings.Cut(w, "="); ok {
					return []string{path}, name
				}
			}
			if !slices.ContainsFunc(rest, func(w string) bool { return isOption(w) && strings.Contains(w, "p") }) {
				return nil, ""
			}
			fallthrough
		case "ln", "cp", "mv", "install", "rsync", "link":
			for _, w := range rest {
				if !isOption(w) {
					sources = append(sources, w)
				}
			}
			if len(sources) < 2 || len(sources) > maxCopied {
				return nil, ""
			}
			return sources[:len(sources)-1], sources[len(sources)-1]
		case "dd":
			for _, w := range rest {
				if source, ok := strings.CutPrefix(w, "if="); ok {
					sources = append(sources, source)
				} else if of, ok := strings.CutPrefix(w, "of="); ok {
					name = of
				}
			}
			return append(sources, c.Reads...), name
		case "cat":
			if len(c.Writes) > 0 {
				return append(c.Reads[:len(c.Reads):len(c.Reads)], rest...), c.Writes[0]
			}
		case "tee":
			if len(rest) > 0 {
				return c.Reads, rest[len(rest)-1]
			}
		}
	}
	return nil, ""
}
