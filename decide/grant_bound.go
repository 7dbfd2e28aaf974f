package decide

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/agent-pdp/pdp/internal/hostname"
	"github.com/agent-pdp/pdp/internal/shell"
)

// toolGrant is bound to the definitions of the tool that people saw when they
// granted it. Grants of a context name none, and are not bound.
type toolGrant struct{ definitions []string }

// commandGrant is bound to the content of the files that the command runs; each
// version is one set of them. Grants of a context know of no content, so they
// stand for no command that runs a file.
type commandGrant struct{ versions []map[string]string }

func unboundTools(names []string) map[string]toolGrant {
	set := make(map[string]toolGrant, len(names))
	for _, name := range names {
		set[name] = toolGrant{}
	}
	return set
}

func unboundCommands(texts []string) map[string]commandGrant {
	set := make(map[string]commandGrant, len(texts))
	for _, text := range texts {
		set[text] = commandGrant{}
	}
	return set
}

// definitionChanged asks a person when a granted tool is no longer the one that
// was granted: a server can change what a name does after it was approved.
func definitionChanged(f *facts) (refusal, bool) {
	g, granted := f.session.grants.tools[f.call.Tool]
	if !granted || len(g.definitions) == 0 || slices.Contains(g.definitions, f.call.Metadata.Definition) {
		return refusal{}, false
	}
	return refusal{AskHuman, CodeDefinitionChanged, "the definition of the tool is not the one that was granted"}, true
}

// unchanged reports whether the files that the command runs are, byte for byte,
// those of the grant.
func (f *facts) unchanged(g commandGrant) bool {
	if len(g.versions) == 0 {
		return false
	}
	files, err := f.ranFiles()
	return err == nil && slices.ContainsFunc(g.versions, func(v map[string]string) bool { return maps.Equal(v, files) })
}

// Bounds on what is read to recognise the files that a command runs.
const (
	maxRanFiles = 32
	maxRanBytes = 64 << 20
)

var errNotBound = errors.New("it cannot be told which files the command runs, or they are too large to look at")

// boundFiles is what a grant of the command is bound to: nothing, if it runs no
// file.
func (f *facts) boundFiles() (map[string]string, error) {
	if !runsContent(f.commands()) {
		return nil, nil
	}
	return f.ranFiles()
}

// runsContent reports whether the text does not say what will run: a command
// runs a file by its path or its input, or programs are looked for elsewhere
// than the system has them.
func runsContent(commands []shell.Seen) bool {
	return slices.ContainsFunc(commands, func(c shell.Seen) bool { return c.RunsFile() || c.RunsInput() }) || setsPath(commands)
}

func setsPath(commands []shell.Seen) bool {
	isPath := func(word string) bool { return strings.HasPrefix(word, "PATH=") || strings.HasPrefix(word, "PATH+=") }
	return slices.ContainsFunc(commands, func(c shell.Seen) bool {
		return slices.ContainsFunc(c.Sets, isPath) || slices.ContainsFunc(c.Words, isPath)
	})
}

// ranFiles returns the digests of the files that the command may run: of every
// word that names a file, in a command that runs one. Naming too many only
// means that a grant ends sooner.
func (f *facts) ranFiles() (map[string]string, error) {
	commands := f.commands()
	if f.session.pathsMode == PathsLexical || !f.seenAll || f.changesDirectory() || setsPath(commands) {
		return nil, errNotBound
	}
	r := ranReader{facts: f, files: map[string]string{}, left: maxRanBytes}
	for _, c := range commands {
		if c.RunsFile() && !r.read(c.Words) {
			return nil, errNotBound
		}
		// What comes through a pipe is never the same for sure.
		if c.RunsInput() && !r.read(c.Reads) {
			return nil, errNotBound
		}
	}
	return r.files, nil
}

// ranReader reads files up to a bound on their number and size.
type ranReader struct {
	facts *facts
	files map[string]string
	left  int64
}

// read takes the files that the words of a command name; there must be one.
func (r *ranReader) read(words []string) bool {
	found := false
	for _, word := range words {
		t := r.facts.locate(word)
		if t.err != nil {
			continue
		}
		path := t.resolved.Path
		if _, known := r.files[path]; known {
			found = true
			continue
		}
		digest, size, err := digestFile(path, r.left)
		if errors.Is(err, errNotBound) {
			return false
		}
		if err != nil {
			continue // no file: an option, a program found on the PATH
		}
		found = true
		r.left -= size
		r.files[path] = digest
	}
	return found && len(r.files) <= maxRanFiles
}

// bindGrant is BindGrant for the facts of a session.
func (f *facts) bindGrant(g GrantSpec) (GrantSpec, error) {
	switch g.Kind {
	case GrantCommand:
		return f.bindCommand(g)
	case GrantDomain:
		entry, err := hostname.MintDomain(g.Value)
		if err != nil {
			return g, err
		}
		return GrantSpec{Kind: g.Kind, Value: entry.Host()}, nil
	case GrantTool:
		return f.bindTool(g)
	case GrantReadOnly:
		if g.Value != "" {
			return g, errors.New("a grant of this kind has no value")
		}
		return GrantSpec{Kind: g.Kind}, nil
	}
	return g, fmt.Errorf("%q is no kind of grant", clip(string(g.Kind)))
}

func (f *facts) bindCommand(g GrantSpec) (GrantSpec, error) {
	if strings.TrimSpace(g.Value) == "" {
		return g, errors.New("the command is empty")
	}
	f.call = Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(g.Value)})}
	f.classify()
	files, err := f.boundFiles()
	if err != nil {
		return g, err
	}
	return GrantSpec{Kind: g.Kind, Value: g.Value, Files: files}, nil
}

// bindTool refuses grants that would be for every command, every host or
// another system.
func (f *facts) bindTool(g GrantSpec) (GrantSpec, error) {
	if strings.TrimSpace(g.Value) == "" || strings.ContainsAny(g.Value, "*?[") {
		return g, errors.New("a grant is for one tool, by its name")
	}
	f.call = Call{Tool: g.Value}
	f.classify()
	switch {
	case f.runs:
		return g, errors.New("a grant for the tool would not cover its commands; grant the command")
	case f.connects():
		return g, errors.New("a tool of another system cannot be granted as a whole; mint a standing rule for a target")
	}
	return GrantSpec{Kind: g.Kind, Value: g.Value, Definition: g.Definition}, nil
}

// connects reports whether the tool acts in another system.
func (f *facts) connects() bool {
	return f.call.Metadata.Connector || f.call.fromMCP() || f.tool != nil && f.tool.connector
}

// changesDirectory reports whether words may be read against another directory
// than the call's.
func (f *facts) changesDirectory() bool {
	for _, c := range f.commands() {
		for _, word := range c.Words {
			if changers[word] {
				return true
			}
		}
	}
	return false
}

var changers = wordSet("cd pushd popd chdir env chroot unshare nsenter ssh docker podman")

// digestFile reads a regular file without waiting for anything: a pipe would
// wait for a writer.
func digestFile(path string, limit int64) (digest string, size int64, err error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return "", 0, err
	case !info.Mode().IsRegular():
		return "", 0, os.ErrInvalid
	}
	hash := sha256.New()
	size, err = io.Copy(hash, io.LimitReader(file, limit+1))
	if err != nil || size > limit {
		return "", 0, errNotBound
	}
	return hex.EncodeToString(hash.Sum(nil)), size, nil
}
