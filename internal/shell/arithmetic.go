package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxSum bounds the text of an arithmetic expansion that is read, and maxNumber
// what comes of it, so that all shells count alike.
const (
	maxSum    = 64
	maxNumber = 1 << 40
)

// sum reads $((…)) of plain numbers, for which its result stands. A name in it
// could hold a subscript, which runs commands.
func (r *reader) sum(b *builder) {
	s := summing{text: r.text[r.i+len("$(("):]}
	s.text = s.text[:min(len(s.text), maxSum)]
	value := s.terms()
	if s.blanks(); s.failed || !strings.HasPrefix(s.text[s.i:], "))") {
		r.fail("arithmetic")
		return
	}
	text := strconv.FormatInt(value, 10)
	b.buf = append(b.buf, text...)
	r.noteText(text)
	r.i += len("$((") + s.i + len("))")
}

// summing reads numbers, + - * / %, and parentheses.
type summing struct {
	text   string
	i      int
	failed bool
}

func (s *summing) blanks() {
	for s.i < len(s.text) && s.text[s.i] == ' ' {
		s.i++
	}
}

// next takes the next character if it is one of these.
func (s *summing) next(of string) (c byte, ok bool) {
	if s.blanks(); !s.failed && s.i < len(s.text) && strings.IndexByte(of, s.text[s.i]) >= 0 {
		s.i++
		return s.text[s.i-1], true
	}
	return 0, false
}

func (s *summing) terms() int64 {
	value := s.factors()
	for op, ok := s.next("+-"); ok; op, ok = s.next("+-") {
		value = s.apply(op, value, s.factors())
	}
	return value
}

func (s *summing) factors() int64 {
	value := s.factor()
	for op, ok := s.next("*/%"); ok; op, ok = s.next("*/%") {
		value = s.apply(op, value, s.factor())
	}
	return value
}

func (s *summing) factor() int64 {
	if _, ok := s.next("("); ok {
		value := s.terms()
		if _, ok := s.next(")"); !ok {
			s.failed = true
		}
		return value
	}
	s.blanks()
	end := s.i
	for end < len(s.text) && s.text[end] >= '0' && s.text[end] <= '9' {
		end++
	}
	value, ok := plainNumber(s.text[s.i:end])
	s.i, s.failed = end, s.failed || !ok
	return value
}

func (s *summing) apply(op byte, a, b int64) int64 {
	value, ok := calculated(op, a, b)
	s.failed = s.failed || !ok
	return value
}

// plainNumber reads a number that is decimal to every shell.
func plainNumber(digits string) (int64, bool) {
	if digits == "" || len(digits) > 9 || digits[0] == '0' && len(digits) > 1 || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	value, err := strconv.ParseInt(digits, 10, 64)
	return value, err == nil
}

func calculated(op byte, a, b int64) (value int64, ok bool) {
	switch {
	case op == '+':
		value = a + b
	case op == '-':
		value = a - b
	case op == '*' && max(a, -a) < 1<<20 && max(b, -b) < 1<<20:
		value = a * b
	case op == '/' && b != 0:
		value = a / b
	case op == '%' && b != 0:
		value = a % b
	default:
		return 0, false
	}
	return value, max(value, -value) < maxNumber
}

// sum writes what an arithmetic expansion of numbers comes to.
func (r *renderer) sum(p *syntax.ArithmExp) {
	value, ok := summed(p.X)
	if !ok || p.Bracket || p.Unsigned {
		r.out = append(r.out, markUnknown)
		return
	}
	r.text(strconv.FormatInt(value, 10))
}

func summed(x syntax.ArithmExpr) (int64, bool) {
	switch x := x.(type) {
	case *syntax.ParenArithm:
		return summed(x.X)
	case *syntax.Word:
		return plainNumber(x.Lit())
	case *syntax.BinaryArithm:
		a, known := summed(x.X)
		b, alsoKnown := summed(x.Y)
		if op := x.Op.String(); known && alsoKnown && len(op) == 1 {
			return calculated(op[0], a, b)
		}
	}
	return 0, false
}
