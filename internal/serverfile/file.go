package serverfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agent-pdp/pdp/internal/auth"
)

// File is a server file without fault.
type File struct {
	Name     string
	Settings map[string]Setting
	Auth     Auth
}

// Setting is the value of a flag, as text.
type Setting struct {
	Value string
	Line  int
}

// Auth says who may call.
type Auth struct {
	JWT          *JWT // nil: no JWTs
	Certificates []auth.SAN
	Peers        map[uint32]auth.Role
	Tokens       []auth.Fixed
}

// JWT is the issuer that is trusted. Exactly one of the two places of its keys
// is set.
type JWT struct {
	auth.JWTSpec
	KeysFile, KeysURL string
}

// Credentials reports whether the file has a source of credentials.
func (a *Auth) Credentials() bool {
	return a.JWT != nil || len(a.Certificates) > 0 || len(a.Peers) > 0 || len(a.Tokens) > 0
}

// maxBytes is far more than a server file needs.
const maxBytes = 256 << 10

// Load reads the file at path. settings are the names of the flags that it may
// set; those in paths are file names, and are read relative to the file's own
// directory.
func Load(path string, settings, paths []string) (*File, error) {
	text, err := read(path)
	if err != nil {
		return nil, err
	}
	f, err := Parse(path, text, settings)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	for _, name := range paths {
		if s, ok := f.Settings[name]; ok {
			s.Value = beside(dir, s.Value)
			f.Settings[name] = s
		}
	}
	if j := f.Auth.JWT; j != nil && j.KeysFile != "" {
		j.KeysFile = beside(dir, j.KeysFile)
	}
	return f, nil
}

func beside(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func read(path string) ([]byte, error) {
	info, err := os.Stat(path) // opening a pipe would wait for its writer
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := checkWriters(file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if err == nil && len(text) > maxBytes {
		err = fmt.Errorf("%s: has more than %d bytes", path, maxBytes)
	}
	return text, err
}

// Parse reads the text of a server file; name stands in messages.
func Parse(name string, text []byte, settings []string) (*File, error) {
	r := &reader{name: name}
	f := &File{Name: name, Settings: map[string]Setting{}}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return f, nil // it says nothing
	case err != nil:
		return nil, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: has more than one document", name)
	}
	fields := map[string]field{"auth": func(n *yaml.Node, at string) { r.auth(n, at, &f.Auth) }}
	for _, setting := range settings {
		fields[setting] = func(n *yaml.Node, at string) {
			if value, ok := r.scalar(n, at); ok {
				f.Settings[setting] = Setting{value, n.Line}
			}
		}
	}
	r.object(document.Content[0], "", fields)
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	return f, nil
}

// Errors is all that is wrong with a file, one line each.
type Errors []string

func (e Errors) Error() string { return strings.Join(e, "\n") }

// reader collects what is wrong.
type reader struct {
	name string
	errs Errors
}

// mostErrors bounds the report on a file that is no server file at all.
const mostErrors = 50

func (r *reader) fail(n *yaml.Node, at, format string, args ...any) {
	if at != "" {
		at += ": "
	}
	if len(r.errs) < mostErrors {
		r.errs = append(r.errs, fmt.Sprintf("%s:%d: %s%s", r.name, n.Line, at, fmt.Sprintf(format, args...)))
	}
}

// field reads the value of a key.
type field func(n *yaml.Node, at string)

// object reads a mapping whose keys are all known and stand there once.
func (r *reader) object(n *yaml.Node, at string, fields map[string]field) {
	if n.Kind != yaml.MappingNode || n.Anchor != "" {
		r.fail(n, at, "must be keys with values")
		return
	}
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		name := join(at, k.Value)
		read, ok := fields[k.Value]
		switch {
		case k.Kind != yaml.ScalarNode || !ok:
			r.fail(k, name, "is no key of this file; known here: %s", strings.Join(sortedKeys(fields), ", "))
		case first[k.Value] > 0:
			r.fail(k, name, "stands here a second time; the first is on line %d", first[k.Value])
		default:
			first[k.Value] = k.Line
			read(v, name)
		}
	}
}

func join(at, name string) string {
	if len(name) > 60 {
		name = name[:60] + "…"
	}
	name = strings.Trim(fmt.Sprintf("%q", name), `"`)
	if at == "" {
		return name
	}
	return at + "." + name
}

func sortedKeys(fields map[string]field) []string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// mostItems bounds lists.
const mostItems = 1000

func (r *reader) list(n *yaml.Node, at string, item field) {
	if n.Kind != yaml.SequenceNode || n.Anchor != "" {
		r.fail(n, at, "must be a list")
		return
	}
	if len(n.Content) > mostItems {
		r.fail(n, at, "has more than %d entries", mostItems)
		return
	}
	for i, v := range n.Content {
		item(v, fmt.Sprintf("%s[%d]", at, i))
	}
}

// scalar reads a value that stands for itself: a text, a number, a truth value.
func (r *reader) scalar(n *yaml.Node, at string) (string, bool) {
	switch {
	case n.Kind != yaml.ScalarNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0:
		r.fail(n, at, "must be one value")
	case n.Tag == "!!null" || n.Value == "":
		r.fail(n, at, "has no value; give it one, or remove the key")
	case strings.ContainsFunc(n.Value, func(c rune) bool { return c < ' ' || c == 0x7f }):
		r.fail(n, at, "holds a line break or a control character")
	default:
		return n.Value, true
	}
	return "", false
}

// text returns a field that keeps a text.
func (r *reader) text(into *string) field {
	return func(n *yaml.Node, at string) {
		if value, ok := r.scalar(n, at); ok {
			*into = value
		}
	}
}

func (r *reader) role(into *auth.Role) field {
	return func(n *yaml.Node, at string) {
		value, ok := r.scalar(n, at)
		if !ok {
			return
		}
		role, err := auth.ParseRole(value)
		if err != nil {
			r.fail(n, at, "%v", err)
			return
		}
		*into = role
	}
}
