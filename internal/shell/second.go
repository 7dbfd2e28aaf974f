package shell

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// markUnknown stands in a rendering for what the strict reader never accepts,
// so that the two renderings differ.
const markUnknown = 8

var variants = [...]syntax.LangVariant{Bash: syntax.LangBash, POSIX: syntax.LangPOSIX, Zsh: syntax.LangZsh}

// parsers are reused, one pool per dialect.
var parsers = func() (pools [len(variants)]*sync.Pool) {
	for i, variant := range variants {
		pools[i] = &sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(variant)) }}
	}
	return pools
}()

// secondReading parses text with a parser of other authors. It returns nil if
// that parser does not accept the text, or fails at it. Callers bound the text
// and its depth first: the parser recurses without a limit.
func secondReading(text string, dialect Dialect) (file *syntax.File) {
	defer func() {
		if recover() != nil { // the parser is then not put back
			file = nil
		}
	}()
	parser := parsers[dialect].Get().(*syntax.Parser)
	file, err := parser.Parse(strings.NewReader(text), "")
	parsers[dialect].Put(parser)
	if err != nil {
		return nil
	}
	return file
}

// disagreement says why the second reader does not read the text like the
// strict one, whose rendering it gets; it is empty if both agree word for word.
func disagreement(file *syntax.File, canon, bodies []byte) string {
	if file == nil {
		return "a construct that a second reader refuses"
	}
	var r renderer
	r.out = make([]byte, 0, len(canon))
	r.stmts(file.Stmts)
	if !bytes.Equal(r.out, canon) || !bytes.Equal(r.bodies, bodies) {
		return "a construct that two readers take for different commands"
	}
	return ""
}

// renderer writes the second reader's tree in the strict reader's notation.
type renderer struct {
	out    []byte
	bodies []byte
	prefix []string // words of a time keyword, which the strict reader takes for a program
}

func (r *renderer) text(s string) { r.out = append(r.out, s...) }

func (r *renderer) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		r.stmt(s)
		if s.Background {
			r.out = append(r.out, '&')
		} else {
			r.out = append(r.out, ';')
		}
	}
}

func (r *renderer) stmt(s *syntax.Stmt) {
	if s.Coprocess || s.Disown {
		r.out = append(r.out, markUnknown)
	}
	if s.Negated {
		r.out = append(r.out, '!')
	}
	switch cmd := s.Cmd.(type) {
	case nil:
		r.simple(nil, nil, s.Redirs)
		return
	case *syntax.CallExpr:
		r.simple(cmd.Assigns, cmd.Args, s.Redirs)
		return
	case *syntax.DeclClause:
		r.declaration(cmd, s.Redirs)
		return
	case *syntax.BinaryCmd:
		r.stmt(cmd.X)
		r.text(cmd.Op.String())
		r.stmt(cmd.Y)
	case *syntax.Block:
		r.out = append(r.out, '{')
		r.stmts(cmd.Stmts)
		r.out = append(r.out, '}')
	case *syntax.Subshell:
		r.out = append(r.out, '(')
		r.stmts(cmd.Stmts)
		r.out = append(r.out, ')')
	case *syntax.ForClause:
		r.forClause(cmd)
	case *syntax.IfClause:
		r.text("if")
		r.ifClause(cmd)
		r.text("fi")
	case *syntax.TimeClause:
		r.timeClause(cmd, s.Redirs)
		return
	case *syntax.WhileClause:
		if cmd.Until {
			r.text("until")
		} else {
			r.text("while")
		}
		r.stmts(cmd.Cond)
		r.text("do")
		r.stmts(cmd.Do)
		r.text("done")
	case *syntax.CaseClause:
		r.caseClause(cmd)
	case *syntax.TestClause:
		r.text("[[")
		r.test(cmd.X)
		r.text("]]")
		if len(s.Redirs) > 0 {
			r.out = append(r.out, markUnknown)
		}
	default:
		r.out = append(r.out, markUnknown)
	}
	for _, red := range s.Redirs {
		r.redirect(red)
	}
}

func (r *renderer) timeClause(cmd *syntax.TimeClause, redirs []*syntax.Redirect) {
	r.prefix = append(r.prefix, "time")
	if cmd.PosixFormat {
		r.prefix = append(r.prefix, "-p")
	}
	if cmd.Stmt == nil {
		r.simple(nil, nil, redirs)
		return
	}
	if len(redirs) > 0 {
		r.out = append(r.out, markUnknown)
	}
	r.stmt(cmd.Stmt)
	if len(r.prefix) > 0 { // time before a compound command
		r.out = append(r.out, markUnknown)
		r.prefix = nil
	}
}

func (r *renderer) forClause(cmd *syntax.ForClause) {
	words, ok := cmd.Loop.(*syntax.WordIter)
	if !ok || cmd.Select || cmd.Braces || !words.InPos.IsValid() {
		r.out = append(r.out, markUnknown)
		return
	}
	r.text("for")
	r.text(words.Name.Value)
	r.out = append(r.out, markEnd)
	for _, w := range words.Items {
		r.word(w)
	}
	r.text("do")
	r.stmts(cmd.Do)
	r.text("done")
}

func (r *renderer) ifClause(cmd *syntax.IfClause) {
	r.stmts(cmd.Cond)
	r.text("then")
	r.stmts(cmd.Then)
	switch next := cmd.Else; {
	case next == nil:
	case len(next.Cond) > 0:
		r.text("elif")
		r.ifClause(next)
	default:
		r.text("else")
		r.stmts(next.Then)
	}
}

func (r *renderer) caseClause(cmd *syntax.CaseClause) {
	if cmd.Braces {
		r.out = append(r.out, markUnknown)
	}
	r.text("case")
	r.word(cmd.Word)
	r.text("in")
	for _, item := range cmd.Items {
		for i, p := range item.Patterns {
			if i > 0 {
				r.out = append(r.out, '|')
			}
			r.word(p)
		}
		r.out = append(r.out, ')')
		r.stmts(item.Stmts)
		if item.Op != syntax.Break {
			r.out = append(r.out, markUnknown)
		}
		r.text(";;")
	}
	r.text("esac")
}

// test writes a test as it stands; how && and || bind matters to none of the words.
func (r *renderer) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.BinaryTest:
		if x.Op != syntax.AndTest && x.Op != syntax.OrTest && !textTests[x.Op.String()] {
			r.out = append(r.out, markUnknown)
		}
		r.test(x.X)
		r.text(x.Op.String())
		r.test(x.Y)
	case *syntax.UnaryTest:
		if op := x.Op.String(); op != "!" && !fileTests[op] {
			r.out = append(r.out, markUnknown)
		}
		r.text(x.Op.String())
		r.test(x.X)
	case *syntax.Word:
		r.word(x)
	default:
		r.out = append(r.out, markUnknown)
	}
}

// simple writes assignments, words and redirections in the text's order.
func (r *renderer) simple(assigns []*syntax.Assign, args []*syntax.Word, redirs []*syntax.Redirect) {
	r.out = append(r.out, '[')
	for _, w := range r.prefix {
		r.text(w)
		r.out = append(r.out, markEnd)
		if len(assigns) > 0 { // behind time they are no arguments
			r.out = append(r.out, markUnknown)
		}
	}
	r.prefix = nil
	nodes := make([]syntax.Node, 0, 16)
	for _, a := range assigns {
		nodes = append(nodes, a)
	}
	for _, w := range args {
		nodes = append(nodes, w)
	}
	for _, red := range redirs {
		nodes = append(nodes, red)
	}
	if len(redirs) > 0 {
		slices.SortStableFunc(nodes, func(a, b syntax.Node) int { return cmp.Compare(a.Pos().Offset(), b.Pos().Offset()) })
	}
	for _, n := range nodes {
		switch n := n.(type) {
		case *syntax.Assign:
			r.assign(n)
		case *syntax.Word:
			r.word(n)
		case *syntax.Redirect:
			r.redirect(n)
		}
	}
	r.out = append(r.out, ']')
}

func (r *renderer) assign(a *syntax.Assign) {
	if a.Append || a.Naked || a.Index != nil || a.Array != nil {
		r.out = append(r.out, markUnknown)
		return
	}
	r.out = append(r.out, '=')
	r.text(a.Name.Value)
	r.out = append(r.out, markClose)
	if a.Value == nil {
		r.out = append(r.out, markEnd)
		return
	}
	r.word(a.Value)
}

// declaration writes export and its like as the commands that they are.
func (r *renderer) declaration(cmd *syntax.DeclClause, redirs []*syntax.Redirect) {
	r.out = append(r.out, '[')
	for _, w := range append(r.prefix, cmd.Variant.Value) {
		r.text(w)
		r.out = append(r.out, markEnd)
	}
	r.prefix = nil
	if len(redirs) > 0 {
		r.out = append(r.out, markUnknown)
	}
	for _, a := range cmd.Args {
		switch {
		case a.Append || a.Index != nil || a.Array != nil:
			r.out = append(r.out, markUnknown)
		case a.Naked && a.Value != nil:
			r.word(a.Value)
		case a.Naked:
			r.text(a.Name.Value)
			r.out = append(r.out, markEnd)
		default:
			r.text(a.Name.Value + "=")
			if a.Value == nil {
				r.out = append(r.out, markEnd)
			} else {
				r.word(a.Value)
			}
		}
	}
	r.out = append(r.out, ']')
}

func (r *renderer) redirect(red *syntax.Redirect) {
	fd := 0
	if red.N != nil {
		if len(red.N.Value) != 1 || red.N.Value[0] < '0' || red.N.Value[0] > '9' {
			r.out = append(r.out, markUnknown)
			return
		}
		fd = int(red.N.Value[0]-'0') + 1
	}
	r.out = append(r.out, 'r', byte('0'+fd))
	r.text(red.Op.String())
	r.word(red.Word)
	if red.Op != syntax.Hdoc {
		return
	}
	if red.Hdoc != nil {
		for _, p := range red.Hdoc.Parts {
			if lit, ok := p.(*syntax.Lit); ok {
				r.bodies = append(r.bodies, lit.Value...)
			} else {
				r.bodies = append(r.bodies, markUnknown)
			}
		}
	}
	r.bodies = append(r.bodies, markEnd)
}

func (r *renderer) word(w *syntax.Word) {
	for i, p := range w.Parts {
		r.part(p, i == 0, i+1 == len(w.Parts), false)
	}
	r.out = append(r.out, markEnd)
}

func (r *renderer) part(p syntax.WordPart, first, last, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted {
			r.quotedLiteral(p.Value)
		} else {
			r.literal(p.Value, first, last)
		}
	case *syntax.SglQuoted:
		if p.Dollar {
			r.out = append(r.out, markUnknown)
		}
		r.text(p.Value)
	case *syntax.DblQuoted:
		if p.Dollar {
			r.out = append(r.out, markUnknown)
		}
		for _, inner := range p.Parts {
			r.part(inner, false, false, true)
		}
	case *syntax.ParamExp:
		r.variable(p, quoted)
	case *syntax.CmdSubst:
		r.substitution(p, quoted)
	case *syntax.ArithmExp:
		r.sum(p)
	default:
		r.out = append(r.out, markUnknown)
	}
}

// literal writes unquoted text, in which backslashes quote and patterns match.
func (r *renderer) literal(s string, first, last bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			r.out = append(r.out, s[i])
		case c == '*' || c == '?' || c == '[':
			r.out = append(r.out, markPattern, c)
		case c == '~' && i == 0 && first && (i+1 < len(s) && s[i+1] == '/' || i+1 == len(s) && last):
			r.out = append(r.out, markHome)
		default:
			r.out = append(r.out, c)
		}
	}
}

// quotedLiteral writes text inside double quotes, where a backslash quotes
// only a few characters.
func (r *renderer) quotedLiteral(s string) {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("\"\\$`", s[i+1]) >= 0 {
			i++
		}
		r.out = append(r.out, s[i])
	}
}

func (r *renderer) variable(p *syntax.ParamExp, quoted bool) {
	status := pipeStatus(p)
	if p.Excl || p.Length || p.Width || p.IsSet || p.Index != nil && status == "" || p.Slice != nil || p.Repl != nil || p.Exp != nil ||
		p.Names != 0 || p.Flags != nil || p.NestedParam != nil || len(p.Modifiers) > 0 || p.Param == nil {
		r.out = append(r.out, markUnknown)
		return
	}
	r.out = append(r.out, markVariable)
	if quoted {
		r.out = append(r.out, markQuoted)
	}
	if status == "" {
		status = p.Param.Value
	}
	r.text(status)
	r.out = append(r.out, markClose)
}

// pipeStatus returns the name of bash's status of a part of the last pipeline.
func pipeStatus(p *syntax.ParamExp) string {
	word, ok := p.Index.(*syntax.Word)
	if !ok || p.Param == nil {
		return ""
	}
	if name := p.Param.Value + "[" + word.Lit() + "]"; isPipeStatus(name) {
		return name
	}
	return ""
}

func (r *renderer) substitution(p *syntax.CmdSubst, quoted bool) {
	if p.Backquotes || p.TempFile || p.ReplyVar {
		r.out = append(r.out, markUnknown)
		return
	}
	r.out = append(r.out, markOpen)
	if quoted {
		r.out = append(r.out, markQuoted)
	}
	r.stmts(p.Stmts)
	r.out = append(r.out, markClose)
}
