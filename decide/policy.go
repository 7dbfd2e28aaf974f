package decide

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/agent-pdp/pdp/internal/hostname"
	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/pattern"
	"github.com/agent-pdp/pdp/internal/programs"
	"github.com/agent-pdp/pdp/internal/shell"
)

// Policy is an operator's policy, compiled and immutable: it may be shared by
// goroutines and swapped whole. Roots and links are resolved anew for each
// call, since a link can be swapped between two.
type Policy struct {
	revision            string
	mode                Mode
	maxMode             Mode
	inline              inlineContext
	unknown             unknownTools
	pathsMode           PathsMode
	trustText           bool // lexical paths are taken for what they say
	home                string
	roots               []root // nil: the policy does not restrict roots
	allow               allowLists
	deny, ask           restrictLists
	protected           []protectedPath
	deferred            pattern.Paths
	persistent          map[string]bool // folded names
	tools               catalogue
	overrides           overrides
	networks            hostname.Networks
	matching            shell.Matching
	own                 []ownAddress
	table               *programs.Table
	credentials, stores pattern.Paths // where keys are kept; the directories among them
	credentialNames     []string      // what such files may be called
	kept                keptPlaces    // below which directories there are such files
	warnings            []Issue
	wait                Wait // nil: as long as it takes
}

// inlineContext says what a context in a request may do.
type inlineContext uint8

const (
	narrowContext inlineContext = iota // it can only take away
	trustContext                       // its lists add to the policy's
	denyContext                        // it is refused
)

// unknownTools says how a tool is judged that nobody classifies.
type unknownTools uint8

const (
	unknownExternal unknownTools = iota
	unknownDeny
	unknownRead
)

// root is a directory that tools may use.
type root struct {
	path     string // absolute, links not resolved
	writable bool
}

// protectedPath is a file or directory that governs the permission system.
type protectedPath struct {
	path   string // absolute, links not resolved
	folded string // for comparing text
}

// choice maps a policy word to a value; the first one is the default.
type choice[T any] struct {
	word  string
	value T
}

var (
	inlineChoices   = []choice[inlineContext]{{"narrow", narrowContext}, {"trust", trustContext}, {"deny", denyContext}}
	unknownChoices  = []choice[unknownTools]{{"external", unknownExternal}, {"deny", unknownDeny}, {"read", unknownRead}}
	pathsChoices    = []choice[PathsMode]{{"local", PathsLocal}, {"lexical", PathsLexical}}
	matchingChoices = []choice[shell.Matching]{{"strict", shell.Strict}, {"precise", shell.Precise}}
	lexicalChoices  = []choice[bool]{{"ask", false}, {"trust", true}}
)

func choose[T any](f *findings, pointer, word string, choices []choice[T]) T {
	if word == "" {
		return choices[0].value
	}
	words := make([]string, len(choices))
	for i, c := range choices {
		if c.word == word {
			return c.value
		}
		words[i] = c.word
	}
	f.issue(pointer, "%q is unknown; use one of %s", clip(word), strings.Join(words, ", "))
	return choices[0].value
}

// Compile checks a policy and prepares it for use. The error is a *SpecError
// that lists everything that is wrong, with JSON pointers such as
// "/allowed_domains/3".
func Compile(spec PolicySpec) (*Policy, error) {
	f := &findings{}
	p := &Policy{
		revision:  spec.Revision,
		inline:    choose(f, "/inline_context", spec.InlineContext, inlineChoices),
		unknown:   choose(f, "/unknown_tools", spec.UnknownTools, unknownChoices),
		pathsMode: choose(f, "/paths", spec.Paths, pathsChoices),
		trustText: choose(f, "/lexical_writes", spec.LexicalWrites, lexicalChoices),
		matching:  choose(f, "/command_matching", spec.CommandMatching, matchingChoices),
		home:      spec.Home,
	}
	if p.home == "" {
		p.home, _ = os.UserHomeDir()
	}
	p.mode, p.maxMode = Interactive, Interactive
	if spec.Mode != "" {
		p.mode = compileMode(f, "/mode", spec.Mode)
		p.maxMode = p.mode
	}
	if spec.MaxMode != "" {
		p.maxMode = compileMode(f, "/max_mode", spec.MaxMode)
	}
	if p.mode.Exceeds(p.maxMode) { // no call that names no mode could be judged
		f.issue("/max_mode", "%s is less than the mode of the policy, %s", p.maxMode, p.mode)
	}
	place := paths.Place{Home: p.home, OS: paths.Native()}
	if spec.Roots != nil {
		p.roots = compileRoots(f, place, spec.Roots)
	}
	p.table = compilePrograms(f, spec.Programs)
	p.allow = allowLists{
		commands: p.compileCommands(spec.AllowedCommands, f.issue, p.warn),
		domains:  compileDomains("/allowed_domains", spec.AllowedDomains, hostname.ParseEntry, f, f.issue),
		tools:    nameSet(spec.AutoAllowTools),
		rules:    compileRules(spec.StandingRules),
	}
	p.deny = compileRestrictions("/deny", spec.Deny, p.home, f)
	p.ask = compileRestrictions("/ask", spec.Ask, p.home, f)
	p.protected = compileProtected(f, place, spec.ProtectedPaths)
	p.deferred = compileDeferred(f, spec.DeferredExecution, p.home)
	p.persistent = compilePersistent(spec.PersistentAuthorityTools)
	p.tools = builtin.with(compileTools(f, spec.Tools))
	p.overrides = compileOverrides("/risk_overrides", spec.RiskOverrides, f, f.issue)
	p.networks = compileNetworks(f, spec.AllowPrivateNetworks)
	p.own = compileOwn(spec.OwnAddresses)
	p.credentials, p.stores = compileCredentials(spec.Ask.Paths, p.home)
	p.kept = compileKept(spec.Ask.Paths, p.home)
	p.credentialNames = credentialNames(append(append([]string(nil), credentialFiles...), spec.Ask.Paths...))
	if err := f.err(); err != nil {
		return nil, err
	}
	return p, nil
}

// Warnings name what is valid in the policy and yet not what it seems to be.
func (p *Policy) Warnings() []Issue { return p.warnings }

func (p *Policy) warn(pointer, format string, args ...any) {
	p.warnings = append(p.warnings, Issue{pointer, fmt.Sprintf(format, args...)})
}

func compileMode(f *findings, pointer, text string) Mode {
	mode, err := ParseMode(text)
	if err != nil {
		f.issue(pointer, "%v", err)
	}
	return mode
}

func compileRoots(f *findings, place paths.Place, specs []RootSpec) []root {
	const most = 256
	if len(specs) > most {
		f.issue("/roots", "has more than %d entries", most)
		return nil
	}
	roots := make([]root, 0, len(specs))
	for i, spec := range specs {
		abs, err := absolute(place, spec.Path)
		if err != nil {
			f.issue(fmt.Sprintf("/roots/%d/path", i), "%v", err)
			continue
		}
		roots = append(roots, root{abs, spec.Writable})
	}
	return roots
}

// absolute reads a path that stands on its own: absolute, or below a home.
func absolute(place paths.Place, text string) (string, error) {
	place.Cwd = "" // makes a relative path an error
	abs, err := place.Absolute(text)
	var invalid *paths.InvalidError
	if errors.As(err, &invalid) && invalid.Kind == paths.Relative {
		return "", &paths.InvalidError{Kind: paths.Relative, Path: text}
	}
	return abs, err
}

func compileProtected(f *findings, place paths.Place, texts []string) []protectedPath {
	const most = 1000 // each is looked at for each target of each call
	if len(texts) > most {
		f.issue("/protected_paths", "has more than %d entries; name directories", most)
		return nil
	}
	var list []protectedPath
	for i, text := range texts {
		abs, err := absolute(place, text)
		var invalid *paths.InvalidError
		if errors.As(err, &invalid) && invalid.Kind == paths.Relative {
			f.issue(fmt.Sprintf("/protected_paths/%d", i), "%v; write the whole path of a file or directory, such as /etc/agent, or start it with ~/", err)
			continue
		}
		if err != nil {
			f.issue(fmt.Sprintf("/protected_paths/%d", i), "%v", err)
			continue
		}
		abs = paths.Clean(abs, place.OS)
		list = append(list, protectedPath{abs, foldText(abs)})
	}
	return list
}

// foldText prepares text for finding a path in it: slashes of both kinds and
// letters of both cases are one.
func foldText(text string) string {
	return paths.Fold(strings.ReplaceAll(text, `\`, "/"))
}

func compilePersistent(more []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range append(strings.Fields(persistentTools), more...) {
		set[foldName(name)] = true
	}
	return set
}

func compileTools(f *findings, specs map[string]ToolSpec) map[string]tool {
	tools := map[string]tool{}
	for name, spec := range specs {
		pointer := "/tools/" + escapePointer(name)
		risk, err := ParseRisk(spec.Risk)
		switch {
		case name == "":
			f.issue("/tools", "a tool without a name")
		case err != nil:
			f.issue(pointer+"/risk", "%v", err)
		}
		tools[name] = tool{risk: risk, targetArg: spec.TargetArg, pathArgs: compilePathArgs(f, pointer, spec.PathArgs)}
	}
	return tools
}

func compilePrograms(f *findings, specs []programs.Spec) *programs.Table {
	table, bad := programs.Builtin().Extend(specs)
	for _, e := range bad {
		f.issue("/programs"+e.Pointer(), "%s", e.Detail())
	}
	return table
}

func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func compileNetworks(f *findings, entries []string) hostname.Networks {
	for i, entry := range entries {
		if _, err := hostname.ParseNetworks([]string{entry}); err != nil {
			f.issue(fmt.Sprintf("/allow_private_networks/%d", i), "%v", err)
		}
	}
	networks, _ := hostname.ParseNetworks(entries)
	return networks
}

// Revision identifies the text that the policy was read from.
func (p *Policy) Revision() string { return p.revision }

// KnownTool reports whether the catalogue names the tool, so that its name may
// label a metric.
func (p *Policy) KnownTool(name string) bool { return p.tools.lookup(name) != nil }

// Mode is the mode of sessions that name none.
func (p *Policy) Mode() Mode { return p.mode }

// MaxMode is the most permissive mode that a session may take by itself.
func (p *Policy) MaxMode() Mode { return p.maxMode }
