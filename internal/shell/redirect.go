package shell

import "strings"

// redirects reports whether a redirection stands at r.i, with or without the
// descriptor in front.
func (r *reader) redirects() bool {
	rest := r.text[r.i:]
	if rest == "" {
		return false
	}
	if rest[0] >= '0' && rest[0] <= '9' {
		rest = rest[1:]
	}
	return rest != "" && (rest[0] == '<' || rest[0] == '>') || strings.HasPrefix(r.text[r.i:], "&>")
}

// redirection reads one redirection. Forms that shells read differently, or
// whose target is no plain word, are not understood.
func (r *reader) redirection(s *Simple) {
	r.goBeyond("a redirection")
	red := Redirection{FD: -1}
	if c := r.text[r.i]; c >= '0' && c <= '9' {
		red.FD = int(c - '0')
		r.i++
	}
	rest := r.text[r.i:]
	for _, op := range [...]string{"<<<", "<<-", "<<", "<&", "<>", ">>", ">&", ">|", "&>>", "&>", "<", ">"} {
		if strings.HasPrefix(rest, op) {
			red.Op = op
			break
		}
	}
	r.i += len(red.Op)
	r.note('r', byte('1'+red.FD))
	r.noteText(red.Op)
	switch red.Op {
	case "<<":
		r.hereDocument(s, red)
		return
	case ">&", "<&":
		r.duplicate(s, red)
		return
	case ">", ">>", "<", "&>", "&>>":
		if r.blanks(); r.i == len(r.text) || ends(r.text[r.i]) {
			r.fail("a redirection without a target")
			return
		}
		w := r.readWord(false)
		red.Target, red.Literal = w.text, w.parts == nil
		if len(w.parts) > 0 && w.parts[0].kind == homePart && len(w.parts) == 2 && w.parts[1].kind == literalPart {
			red.Literal = true // ~/x
		}
	default:
		r.fail("a redirection of a kind that is not read (" + red.Op + ")")
		return
	}
	d := s.detail()
	d.redirs = append(d.redirs, red)
}

// duplicate reads 2>&1 and its like: one digit, and then the word's end.
func (r *reader) duplicate(s *Simple, red Redirection) {
	if r.i == len(r.text) || r.text[r.i] < '0' || r.text[r.i] > '9' || r.i+1 < len(r.text) && !ends(r.text[r.i+1]) {
		r.fail("a redirection of a kind that is not read (" + red.Op + ")")
		return
	}
	if r.i+1 < len(r.text) && strings.IndexByte("<>", r.text[r.i+1]) >= 0 {
		r.fail("two redirections without a blank between them")
		return
	}
	red.Target, red.Literal = r.text[r.i:r.i+1], true
	r.noteText(red.Target)
	r.note(markEnd)
	r.i++
	d := s.detail()
	d.redirs = append(d.redirs, red)
}

// hereDocument reads the delimiter; the body begins on the next line.
func (r *reader) hereDocument(s *Simple, red Redirection) {
	from := strings.LastIndex(r.text[:r.i], "<<")
	r.blanks()
	quote := byte(0)
	if r.i < len(r.text) && strings.IndexByte(`'"`, r.text[r.i]) >= 0 {
		quote = r.text[r.i]
		r.i++
	}
	n := nameLength(r.text[r.i:])
	red.Target = r.text[r.i : r.i+n]
	if r.i += n; quote != 0 {
		if r.i == len(r.text) || r.text[r.i] != quote {
			r.fail("a here-document whose delimiter is no plain word")
			return
		}
		r.i++
	}
	if n == 0 || r.i < len(r.text) && !ends(r.text[r.i]) {
		r.fail("a here-document whose delimiter is no plain word")
		return
	}
	red.Literal = quote != 0
	if len(r.docs) > 0 {
		r.fail("more than one here-document on a line")
	}
	d := s.detail()
	d.redirs = append(d.redirs, red)
	r.docs = append(r.docs, hereDoc{d, len(d.redirs) - 1, max(from, 0)})
	r.noteText(red.Target)
	r.note(markEnd)
}

// hereDoc is a here-document whose body is still to come.
type hereDoc struct {
	of *details
	at int // index into of.redirs

	from int // where it is announced
}

// bodies reads the here-documents that begin at r.i, behind a newline.
func (r *reader) bodies() {
	for _, doc := range r.docs {
		red := &doc.of.redirs[doc.at]
		body, ok := r.body(red.Target)
		switch {
		case !ok:
			r.failAt("a here-document that does not end", doc.from)
		case !red.Literal && strings.ContainsAny(body, "$`\\"):
			r.fail("a here-document that the shell expands")
		}
		red.Text, red.Literal = body, true
		if r.compare {
			r.bodiesRead = append(append(r.bodiesRead, body...), markEnd)
		}
	}
	r.docs = r.docs[:0]
}

// body reads lines up to the delimiter and leaves r.i at the newline behind it.
func (r *reader) body(delimiter string) (string, bool) {
	for start := r.i; r.i < len(r.text); {
		line, _, more := strings.Cut(r.text[r.i:], "\n")
		if line == delimiter {
			body := r.text[start:r.i]
			r.i += len(line)
			return body, true
		}
		if r.depth > 0 && strings.HasPrefix(strings.TrimLeft(line, "\t"), delimiter) {
			// Inside a substitution some versions of bash end the body here.
			r.fail("a line of a here-document that begins with its delimiter, inside a substitution")
		}
		if r.i += len(line); more {
			r.i++
		}
	}
	return "", false
}
