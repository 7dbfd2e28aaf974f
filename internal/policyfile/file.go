package policyfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/agent-pdp/pdp/decide"
)

// MaxBytes is the most that a policy file may hold.
const MaxBytes = 1 << 20

// File is a policy that was read and found to be without fault, its defaults
// filled in.
type File struct {
	Name         string // as it stands in messages
	Spec         decide.PolicySpec
	Limits       Limits
	AllowedHosts []string // further names under which the service may be addressed
	Inspect      Inspect
	Reviewer     Reviewer
	Audit        Audit
	Revision     string // "sha256:" and the digest of the bytes
	Warnings     Errors // what is valid and yet not what it seems to be

	version   int
	overrides []override
	given     map[string]bool // the keys that stand in the file
	found     *walker
}

// Limits bound what the service takes on.
type Limits struct {
	BodyBytes                int           // of one request body
	Concurrency              int           // requests in work at once
	RequestTimeout           time.Duration // to read a request's body
	DecisionTimeout          time.Duration // for the file system to answer about a call
	UnauthenticatedPerSecond int           // calls without a credential; 0: no limit
	SessionsPerCaller        int           // that one runtime may keep
	SessionBytesPerCaller    int           // the same, of all of them together
	DrainTimeout             time.Duration // for requests in work when the service ends
}

// Inspect says what callers without a credential may have inspected.
type Inspect struct {
	AllowedRoots []string // nil: everything, or nothing if the service runs as root
}

// Reviewer is a service that may clear asks in auto-approve mode.
type Reviewer struct {
	URL        string // empty: there is none
	Timeout    time.Duration
	Secret     string // signs what it is sent
	SecretFile string // holds the secret instead
}

// Audit says how what happens is written down.
type Audit struct {
	Mode               string        // async or sync
	OnFailure          string        // refuse or answer
	Redact             []string      // JSON pointers into records
	BodyBytes          int           // kept of a long text
	CheckpointEvery    int           // records between two signatures
	CheckpointInterval time.Duration // the longest that a record waits for one
	Retention          time.Duration // 0: for ever
}

// override is a row of risk_overrides.
type override struct{ pattern, risk string }

// Load reads and checks the policy file at path. The error is an Errors if the
// file could be read, and then says what is wrong with it.
func Load(path string) (*File, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// readFile returns at most one byte more than a policy may hold.
func readFile(path string) ([]byte, error) {
	if err := checkPath(path, runtime.GOOS); err != nil {
		return nil, err
	}
	// Opening a pipe would wait for its writer.
	info, err := os.Stat(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, fileError(path, err)
	}
	return data, nil
}

// fileError names the file once.
func fileError(path string, err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fmt.Errorf("%s: cannot be read: %w", path, err)
}

// checkPath refuses a policy on another machine: whoever answers for that name
// on the network would write the policy.
func checkPath(path, goos string) error {
	isSlash := func(i int) bool { return len(path) > i && (path[i] == '\\' || path[i] == '/') }
	if goos == "windows" && isSlash(0) && isSlash(1) {
		return fmt.Errorf(`%s: is a network or device path; keep the policy on a local drive, such as C:\ProgramData\pdp\policy.yaml`, path)
	}
	return nil
}

// Parse checks the text of a policy; name stands in messages. The error is an
// Errors that holds everything that is wrong.
func Parse(name string, data []byte) (*File, error) {
	w := &walker{collector: collector{file: name}, nodes: map[string]located{}, lines: strings.Split(string(data), "\n")}
	root := parseYAML(&w.collector, data)
	if len(w.list) > 0 {
		return nil, w.err()
	}
	f := newFile(name)
	f.found = w
	f.Revision = digest(data)
	f.Spec.Revision = f.Revision
	f.read(root)
	f.settle()
	f.Spec.RiskOverrides = overrideValues(f.overrides)
	// The compiler runs even after a fault: one report should name them all.
	policy, err := f.Compile(Own{})
	if err != nil {
		return nil, err
	}
	f.Warnings = f.located(policy.Warnings())
	return f, nil
}

// located are findings about a policy without fault, at their lines.
func (f *File) located(list []decide.Issue) Errors {
	if len(list) == 0 {
		return nil
	}
	c := &collector{file: f.Name}
	f.locate(c, &decide.SpecError{Issues: list})
	c.err()
	return c.list
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// read takes what the document says; root is nil if it says nothing. That is no
// policy: comments alone are what is left where a writer was stopped, or where
// somebody meant to switch the rules off and would switch off those that deny.
func (f *File) read(root *yaml.Node) {
	w := f.found
	if root == nil {
		w.add(1, 0, "version", noVersion)
		return
	}
	w.lint(root, 0)
	object{keys: keys(f), top: true}.read(w, root, place{})
	if root.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i < len(root.Content); i += 2 {
		f.given[root.Content[i].Value] = true
	}
	if !f.given["version"] {
		w.add(1, 0, "version", noVersion)
	}
}

const noVersion = "is missing; the first line of a policy is: version: 1"

// Own is what belongs to the service itself, and so governs what agents may do.
type Own struct {
	Files     []string // and directories: they become protected paths
	Addresses []string // host:port where it listens
}

// Compile turns the policy into its usable form. The error is an Errors.
func (f *File) Compile(own Own) (*decide.Policy, error) {
	spec := f.Spec
	spec.OwnAddresses = own.Addresses
	spec.ProtectedPaths = append(append([]string(nil), spec.ProtectedPaths...), own.Files...)
	policy, err := decide.Compile(spec)
	c := &collector{file: f.Name}
	if f.found != nil {
		// A copy: compiling again must not report what an earlier call found.
		c.list, c.more = append(c.list, f.found.list...), f.found.more
		c.seen = make(map[[2]int]bool, len(f.found.seen))
		for at := range f.found.seen {
			c.seen[at] = true
		}
	}
	f.locate(c, err)
	if err := c.err(); err != nil {
		return nil, err
	}
	return policy, nil
}

// locate adds what the compiler found, at the lines where it stands.
func (f *File) locate(c *collector, err error) {
	if err == nil || c.full() {
		return
	}
	var spec *decide.SpecError
	if !errors.As(err, &spec) {
		c.add(0, 0, "", err.Error())
		return
	}
	for _, issue := range spec.Issues {
		var l located
		ok := false
		if f.found != nil {
			l, ok = f.found.finding(issue.Pointer)
		}
		if !ok {
			c.add(0, 0, strings.TrimPrefix(issue.Pointer, "/"), issue.Detail)
			continue
		}
		c.add(l.node.Line, l.node.Column, l.key, issue.Detail)
	}
}

// parseYAML returns the only document's top node, nil if there is none, or
// adds what is wrong.
func parseYAML(c *collector, data []byte) *yaml.Node {
	if !screen(c, data) {
		return nil
	}
	doc, err := decodeNode(data, 0)
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		addYAMLError(c, data, err)
		return nil
	}
	switch second, err := decodeNode(data, 1); {
	case errors.Is(err, io.EOF):
	case err != nil:
		addYAMLError(c, data, err)
		return nil
	default:
		c.add(second.Line, second.Column, "", "starts a second document (---); a policy is one")
		return nil
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil // "---" alone
	}
	return root
}

// decodeNode reads the document at index. The parser is not ours and its input
// is anybody's: should it panic, the policy is refused.
func decodeNode(data []byte, index int) (doc *yaml.Node, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			doc, err = nil, fmt.Errorf("yaml: cannot be read as YAML (%v)", cause)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for range index + 1 {
		doc = new(yaml.Node)
		if err := dec.Decode(doc); err != nil {
			return nil, err
		}
	}
	if len(doc.Content) != 1 {
		return nil, io.EOF
	}
	return doc, nil
}

// screen refuses what YAML would take, or would refuse in words that help
// nobody.
func screen(c *collector, data []byte) bool {
	if len(data) > MaxBytes {
		c.add(0, 0, "", "is larger than 1 MiB, too much for a policy")
		return false
	}
	before := len(c.list)
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if !utf8.Valid(line) {
			c.add(number, 0, "", "is not UTF-8 text; save the file as UTF-8")
			break
		}
		if r := hidden(line); r != 0 {
			c.add(number, 0, "", fmt.Sprintf("holds the hidden character U+%04X, which lets a file read differently than it looks; remove it", r))
		}
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if at := bytes.IndexByte(indent, '\t'); at >= 0 && len(bytes.TrimSpace(line)) > 0 {
			c.add(number, at+1, "", "is indented with a tab; YAML takes blanks only")
		}
	}
	return len(c.list) == before
}

// hidden returns a character of the line that some editors do not show: a line
// break of another kind ends a comment for YAML, a direction mark turns text
// around for the reader.
func hidden(line []byte) rune {
	text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
	for _, r := range text {
		switch {
		case r == '\r', r == 0x85, r == 0x2028, r == 0x2029, 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069:
			return r
		}
	}
	return 0
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:line ([0-9]+): )?(.*)$`)

// hints say what to do about the parser's complaints.
var hints = []struct{ complaint, hint string }{
	{"did not find expected alphabetic or numeric character", "a text that starts with * or & needs quotes"},
	{"unknown anchor", "a text that starts with * needs quotes"},
	{"found undefined tag handle", "a text that starts with ! needs quotes"},
	{"did not find expected whitespace or line break", "a text that starts with ! needs quotes"},
	{"found character that cannot start any token", "a text that starts with @, ` or % needs quotes"},
	{"mapping values are not allowed in this context", `a text that holds ": " needs quotes; else check the indentation`},
	{"found unexpected end of stream", "a quote is opened and not closed"},
	{"could not find expected ':'", "a key needs a colon after it"},
	{"did not find expected key", "check the indentation of this line and of the one above"},
	{"did not find expected '-' indicator", "check the indentation of this line and of the one above"},
	{"control characters are not allowed", "remove them, or write the file anew as UTF-8"},
}

func addYAMLError(c *collector, data []byte, err error) {
	m := yamlLine.FindStringSubmatch(err.Error())
	line, _ := strconv.Atoi(m[1])
	message := m[2]
	if name, ok := strings.CutPrefix(message, "unknown anchor '"); ok && line == 0 {
		name, _, _ = strings.Cut(name, "'")
		if at := bytes.Index(data, []byte("*"+name)); at >= 0 {
			line = 1 + bytes.Count(data[:at], []byte("\n"))
		}
	}
	for _, h := range hints {
		if strings.HasPrefix(message, h.complaint) {
			message += " (" + h.hint + ")"
			break
		}
	}
	c.add(line, 0, "", "is not valid YAML: "+message)
}
