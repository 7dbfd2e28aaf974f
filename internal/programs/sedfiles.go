package programs

import "strings"

// sedFiles returns the files that the scripts among sed's words write (w, W)
// and read (r, R). A script that cannot be read to its end is searched for what
// looks like such a command.
func sedFiles(words []string) (written, read []string) {
	var toWrite, toRead distinct
	for _, script := range sedScripts(words) {
		s := sedReader{rest: script}
		for s.command() {
		}
		if s.failed {
			s.search(script)
		}
		toWrite.add(s.written.list...)
		toRead.add(s.read.list...)
	}
	return toWrite.list, toRead.list
}

// sedScripts returns the words that may be a script: what options bring, else
// the first operand; behind -l, whose number looks like one, the first two.
func sedScripts(words []string) (scripts []string) {
	given, operands, most := false, []string(nil), 1
	for i := 0; i < len(words); i++ {
		w := words[i]
		text, option, next := sedOption(w)
		switch {
		case option && next && i+1 < len(words):
			i++
			given, scripts = true, append(scripts, words[i])
		case option:
			given, scripts = true, append(scripts, text)
		case isOption(w):
			if strings.Contains(w, "l") {
				most = 2
			}
		default:
			operands = append(operands, w)
		}
	}
	if !given || most > 1 {
		scripts = append(scripts, operands[:min(len(operands), most)]...)
	}
	return scripts
}

// sedRuns returns the command lines that the scripts among sed's words run.
func sedRuns(words []string) (texts []string) {
	var ran distinct
	for _, script := range sedScripts(words) {
		s := sedReader{rest: script}
		for s.command() {
		}
		if s.failed {
			for i := range len(script) {
				if script[i] == 'e' {
					s.ran.add(script[i+1:])
				}
			}
		}
		ran.add(s.ran.list...)
	}
	return ran.list
}

type sedReader struct {
	rest               string
	failed             bool
	written, read, ran distinct
}

// command reads one command; it is false at the end, and where the script is
// not understood.
func (s *sedReader) command() bool {
	s.rest = strings.TrimLeft(s.rest, " \t\r\n;{}")
	if s.rest == "" {
		return false
	}
	if rest, ok := sedAddresses(s.rest); ok && rest != "" {
		s.rest = rest
	} else {
		s.failed = true
		return false
	}
	c := s.rest[0]
	s.rest = s.rest[1:]
	switch c {
	case 'w', 'W':
		s.written.add(s.line())
	case 'r', 'R':
		s.read.add(s.line())
	case 'e':
		s.ran.add(s.line())
	case 's', 'y':
		return s.substitute()
	case '#':
		s.line()
	case 'a', 'i', 'c':
		for strings.HasSuffix(s.line(), `\`) { // the text goes on
		}
	case ':', 'b', 't', 'T', 'v':
		if end := strings.IndexAny(s.rest, ";\n}"); end >= 0 {
			s.rest = s.rest[end:]
		} else {
			s.rest = ""
		}
	}
	return true
}

func (s *sedReader) substitute() bool {
	if s.rest == "" {
		s.failed = true
		return false
	}
	delimiter := s.rest[0]
	rest, replacement := s.rest[1:], ""
	for range 2 {
		replacement = rest
		end := delimited(rest, delimiter)
		if end < 0 {
			s.failed = true
			return false
		}
		rest = rest[end:]
	}
	s.rest = strings.TrimLeft(rest, "giIpmMe0123456789")
	if strings.Contains(rest[:len(rest)-len(s.rest)], "e") { // what it puts in is run
		s.ran.add(replacement[:len(replacement)-len(rest)-1])
	}
	if strings.HasPrefix(s.rest, "w") {
		s.rest = s.rest[1:]
		s.written.add(s.line())
	}
	return true
}

// line takes the rest of the line: a file's name goes up to its end.
func (s *sedReader) line() string {
	line, rest, _ := strings.Cut(s.rest, "\n")
	s.rest = rest
	return strings.TrimLeft(line, " \t")
}

// search takes what stands behind every letter that may be a command which
// names a file.
func (s *sedReader) search(script string) {
	for line := range strings.SplitSeq(script, "\n") {
		for i := 0; i+1 < len(line); i++ {
			name := strings.TrimLeft(line[i+1:], " \t")
			if name == "" || len(name) == len(line)-i-1 && strings.IndexByte("./~", name[0]) < 0 {
				continue
			}
			switch line[i] {
			case 'w', 'W':
				s.written.add(name)
			case 'r', 'R':
				s.read.add(name)
			}
		}
	}
}
