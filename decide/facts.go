package decide

import (
	"errors"
	"strings"

	"github.com/agent-pdp/pdp/internal/gitrepo"
	"github.com/agent-pdp/pdp/internal/hostname"
	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/shell"
)

// facts is what is known of one call. Each fact is worked out once, when the
// first check asks for it; checks only read.
type facts struct {
	policy  *Policy
	session *session
	call    Call
	sight   sight

	tool *tool // from the catalogue; nil if it does not know the tool
	like *tool // what the name or annotations of a tool that it does not know imply; nil for nothing
	own  Risk  // the catalogue's class for the tool
	risk Risk  // the class that the call is judged by

	// An override may swap two classes, so what a tool does is what either of
	// its classes says.
	writes, runs, fetches bool

	commandRead bool
	command     shell.Command
	commandText string
	// commandGiven is the command argument, as a text whatever it is.
	commandGiven string
	commandOK    bool // the command argument is a text that is not empty

	coverRead bool
	cover     shell.Coverage
	listBuf   [2]shell.Prefixes
	noEntry   string // why no entry would let the call run; for who wants to know

	lookups   lookups
	opened    map[opening]bool        // operands that were looked up for credentials
	nowhere   map[credentialWord]bool // patterns that name no credential
	wildForms int                     // what their braces make of them
	wildNames int                     // patterns of git and find that were compared with names of credentials
	swept     map[string]bool         // words that were looked at for what lies below them
	// patterns for directories that were compared with where credentials are kept
	sweptPatterns int
	filled        int                   // files that patterns found and that were looked up
	looked        int                   // patterns that were compared with patterns
	formsOf       map[formsKey][]string // what brace expansion makes of a word
	expanded      int                   // its words in all
	seenRead      bool
	seenAll       bool // nothing was left out of seen
	effort        int  // spent on the command, in steps
	seen          []shell.Seen
	seenBuf       [4]shell.Seen
	filledRead    bool
	filledSeen    []shell.Seen // what the shell makes of those of seen that it fills in
	filledWhole   bool
	codeRead      bool
	code          []shell.Seen // of seen, what is given code

	patched *shellPatch // nil: not read

	wordsRead      bool
	words          []shellWord
	wordsWhole     bool // none is missing
	wordsWriteRead bool
	wordsWrite     []shellWord

	guardsRead bool
	guarded    []guarded

	writesRead bool
	written    []target
	writtenBuf [2]target
	asked      int      // paths that arguments named, for the bound
	unlocated  string   // why the write's targets are not all known
	mentioned  []target // in hunks of a diff: no applier touches them, the original engine judged them

	shared *paths.Shared // what paths of one call have in common; nil: too few to look

	landed []target // nil: not looked for

	hooksRead bool
	hooks     []hookDir
	looker    gitrepo.Looker

	rootsRead bool
	roots     []resolvedRoot
	rootsBuf  [4]resolvedRoot
	bounds    [][]resolvedRoot // each of them must hold a path too

	linkedLists []*linkedPaths // few

	addressesRead bool
	addressList   []hostname.URL   // of any argument
	moreAddresses bool             // than were read
	unreadable    []string         // addresses that are no proper ones
	unclear       hostname.Address // that some program would read in an address that is no proper one
	unclearText   string           // empty: nothing

	urlRead bool
	url     hostname.URL
	urlErr  error
}

// target is one path of a call, as given and as the tool will see it.
type target struct {
	given    string
	abs      string // made absolute, links not resolved
	resolved paths.Resolved
	err      error // no safe reading exists
	tree     bool  // what is below comes along
}

// resolvedRoot is a root as it is now; one that cannot be resolved holds nothing.
type resolvedRoot struct {
	root
	resolved string
}

func (f *facts) classify() {
	f.tool = f.policy.tools.lookup(f.call.Tool)
	if f.tool != nil {
		f.own = f.tool.risk
	} else if !f.persistent() && !f.saidToWrite() {
		f.like = f.implied()
	}
	f.risk = f.overridden()
	f.writes = f.own == WriteLocal || f.risk == WriteLocal
	f.runs = f.own == Exec || f.risk == Exec
	f.fetches = f.own == Egress || f.risk == Egress
}

// saidToWrite reports an override that makes the tool one that writes. It does not
// say which arguments hold paths, and then a guess by the tool's name must not.
func (f *facts) saidToWrite() bool {
	return f.policy.overrides.find(f.call.Tool) == WriteLocal || f.session.overrides.find(f.call.Tool) == WriteLocal
}

// writer is the write tool that the call goes to, as far as anything is known
// of it.
func (f *facts) writer() *tool {
	if f.tool == nil {
		return f.like
	}
	return f.tool
}

// implied reads the name of a tool that nobody classified, and the annotations of
// its server: a tool that is said to change things, and is given a path, changes
// what is there.
func (f *facts) implied() *tool {
	if t := f.policy.tools.impliedTool(f.call.Tool); t != nil {
		return t
	}
	hints := f.call.Metadata.Hints
	if !hints.Destructive && !hints.Writes && !namesWrite(f.call.Tool) || isRemote(f.call.Tool) {
		return nil
	}
	w := argumentWalk{yield: func(string) {}}
	if w.object(f.call.Arguments); w.count > 0 {
		return writerOf(1, hints.Destructive)
	}
	if !namesMove(f.call.Tool) {
		return nil
	}
	placed := false
	w = argumentWalk{yield: func(text string) { placed = placed || isPlaced(text) || strings.ContainsAny(text, `/\`) }, ends: true}
	if w.object(f.call.Arguments); !placed {
		return nil
	}
	return writerOf(1, true)
}

// overridden applies the overrides of policy and context, of which the
// stricter counts. Where a session may only tighten, its own must not even
// classify an unknown tool as harmless.
func (f *facts) overridden() Risk {
	policy := f.policy.overrides.find(f.call.Tool)
	context := f.session.overrides.find(f.call.Tool)
	risk := f.claimed(override(f.own, stricter(policy, context)))
	if f.session.tighten && context != Unclassified {
		risk = stricter(f.claimed(override(f.own, policy)), risk)
	}
	return risk
}

// claimed adds the runtime's word: it classifies a tool that neither catalogue
// nor operator did, and makes every other one stricter.
func (f *facts) claimed(risk Risk) Risk {
	m := f.call.Metadata
	if risk == Unclassified {
		risk = f.assumed()
	}
	return stricter(risk, m.Risk)
}

func (f *facts) assumed() Risk {
	m := f.call.Metadata
	switch {
	case f.like != nil && (m.Risk == Unclassified || f.call.fromMCP()):
		return WriteLocal
	case m.RequiresApproval, m.Hints.Destructive:
		return External
	case f.tool != nil:
		return Read
	case m.Connector, f.call.fromMCP(), f.persistent():
		return External
	case m.Risk != Unclassified:
		return m.Risk
	case f.policy.unknown == unknownRead:
		return Read
	default:
		return External
	}
}

// unknown reports whether neither catalogue, metadata nor an override says
// what the tool does.
func (f *facts) unknown() bool {
	m := f.call.Metadata
	return f.tool == nil && !f.persistent() && m.Risk == Unclassified && !m.RequiresApproval && !m.Connector &&
		f.policy.overrides.find(f.call.Tool) == Unclassified && f.session.overrides.find(f.call.Tool) == Unclassified
}

// resolver reads paths where the files are, or by their text alone.
func (f *facts) resolver() paths.Resolver {
	if f.session.pathsMode == PathsLexical {
		return paths.Lexical{OS: f.session.place.OS}
	}
	f.sight.look()
	if f.shared != nil {
		return f.shared
	}
	return paths.Local{}
}

// locate reads one path as the tool would.
func (f *facts) locate(given string) target {
	t := target{given: given}
	t.abs, t.err = f.session.place.Absolute(given)
	if t.err == nil {
		t.resolved, t.err = f.resolver().Resolve(t.abs)
	}
	return t
}

// readCommand parses the shell command once.
func (f *facts) readCommand() {
	if f.commandRead {
		return
	}
	f.commandRead = true
	f.commandGiven, f.commandOK = f.commandArgument()
	if f.commandOK {
		f.commandText = f.commandGiven
	}
	f.command.Parse(f.commandText, f.dialect())
}

// commands lists every command that the text might run, for checks that
// restrict. What the strict reader understood needs no second reading, unless
// a program in it is given a command line as text.
func (f *facts) commands() []shell.Seen {
	if f.seenRead {
		return f.seen
	}
	f.seenRead = true
	f.readCommand()
	text := f.commandGiven
	if f.command.Opaque(shell.Precise) == "" && !f.command.Indirect() {
		f.seen, f.seenAll = f.command.Seen(f.seenBuf[:0])
		f.spend(passing(f.seen))
		return f.seen
	}
	f.spend(min(len(text), shell.MaxText) / bytesParsed)
	left := shell.MaxFilled
	read := 0
	if f.commandOK {
		f.seen, read, f.seenAll = f.command.Scan(&left)
	} else {
		f.seen, read, f.seenAll = shell.Scan(text, f.dialect(), &left)
	}
	f.spend(read/bytesRead + reading(f.seen) + passing(f.seen) + filledSteps*(shell.MaxFilled-left))
	if f.command.Opaque(shell.Precise) == "" {
		f.command.NoteQuotes(f.seen)
	}
	return f.seen
}

// filledIn lists what the shell makes of the commands, as far as the text shows it;
// whole is false if there are more.
func (f *facts) filledIn() (list []shell.Seen, whole bool) {
	if !f.filledRead {
		f.filledRead = true
		left := shell.MaxFilled
		f.filledSeen, f.filledWhole = shell.FilledIn(f.commands(), &left)
		f.spend(filledSteps * (shell.MaxFilled - left))
	}
	return f.filledSeen, f.filledWhole
}

// allRoots resolves the roots of this call.
func (f *facts) allRoots() []resolvedRoot {
	if !f.rootsRead {
		f.rootsRead = true
		f.roots = f.resolveRoots(f.session.roots, f.rootsBuf[:0])
		if f.session.bounded && f.policy.roots != nil {
			f.bounds = append(f.bounds, f.resolveRoots(f.policy.roots, nil))
		}
		if f.session.outer != nil {
			f.bounds = append(f.bounds, f.resolveRoots(f.session.outer, nil))
		}
	}
	return f.roots
}

func (f *facts) resolveRoots(roots []root, list []resolvedRoot) []resolvedRoot {
	for _, r := range roots {
		if f.leadsToItself(r.path) {
			list = append(list, resolvedRoot{r, r.path})
		} else if resolved, err := f.resolver().Resolve(r.path); err == nil {
			list = append(list, resolvedRoot{r, resolved.Path})
		}
	}
	return list
}

// leadsToItself reports whether a directory is known to lead to itself, because a
// path below it does: a link anywhere in that path would have led elsewhere. It
// saves half the system calls of a write to an ordinary file.
func (f *facts) leadsToItself(dir string) bool {
	for i := range f.written {
		if t := &f.written[i]; t.err == nil && !t.resolved.Loose && t.resolved.Path == t.abs && paths.Contains(dir, t.abs) {
			return paths.Clean(dir, f.session.place.OS) == dir
		}
	}
	return false
}

// holder returns the root that a resolved path lies in: the narrowest one, so
// that a read-only root inside a writable one narrows it; of two marks on one
// directory, read-only counts.
func (f *facts) holder(path string) (resolvedRoot, bool) {
	held, ok := narrowest(f.allRoots(), path, f.session.place.OS)
	for i := 0; ok && i < len(f.bounds); i++ {
		var bound resolvedRoot
		bound, ok = narrowest(f.bounds[i], path, f.session.place.OS)
		held.writable = held.writable && bound.writable
	}
	return held, ok
}

func narrowest(roots []resolvedRoot, path string, os paths.OS) (held resolvedRoot, ok bool) {
	for _, r := range roots {
		if !os.Contains(r.resolved, path) {
			continue
		}
		switch {
		case !ok || len(r.resolved) > len(held.resolved):
			held, ok = r, true
		case len(r.resolved) == len(held.resolved):
			held.writable = held.writable && r.writable
		}
	}
	return held, ok
}

var errNoURL = errors.New("the url argument is missing or not a text")

// address reads the URL of a tool that fetches what its url argument names. A
// search goes to its own service, whatever stands in a url argument.
func (f *facts) address() (hostname.URL, error) {
	if !f.urlRead {
		f.urlRead = true
		text, ok := f.call.Arguments.Get("url").AsString()
		if !ok {
			f.urlErr = errNoURL
			return f.url, f.urlErr
		}
		f.url, f.urlErr = hostname.Parse(text)
	}
	return f.url, f.urlErr
}
