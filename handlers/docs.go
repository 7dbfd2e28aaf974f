package handlers

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"github.com/agent-pdp/pdp/api"
)

// assets is everything that is served as it is: the contract, and the page
// that shows it. All of it comes from the binary.
type assets struct {
	openAPIYAML, openAPIJSON asset
	docs                     map[string]asset // by file name; "" is the page
}

type asset struct {
	contentType []string
	etag        string
	body        []byte
}

func newAsset(contentType string, body []byte) asset {
	sum := sha256.Sum256(body)
	return asset{[]string{contentType}, `"` + hex.EncodeToString(sum[:12]) + `"`, body}
}

var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
}

// loadAssets panics only if the embedded files are broken, which a test would
// have shown.
func loadAssets() *assets {
	asJSON, err := yamlToJSON(api.OpenAPI)
	if err != nil {
		panic(err)
	}
	a := &assets{
		openAPIYAML: newAsset("application/yaml", api.OpenAPI),
		openAPIJSON: newAsset("application/json", append(asJSON, '\n')),
		docs:        map[string]asset{},
	}
	for _, dir := range []fs.FS{api.Docs, api.SwaggerUI} {
		err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || contentTypes[path.Ext(name)] == "" {
				return err
			}
			body, err := fs.ReadFile(dir, name)
			a.docs[path.Base(name)] = newAsset(contentTypes[path.Ext(name)], body)
			return err
		})
		if err != nil {
			panic(err)
		}
	}
	return a
}

// yamlToJSON keeps the order of members: the page shows operations in it.
func yamlToJSON(text []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) != 1 {
		return nil, fmt.Errorf("the document is empty")
	}
	var buf bytes.Buffer
	enc := jsontext.NewEncoder(&buf)
	if err := writeNode(enc, doc.Content[0]); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(buf.Bytes()), nil
}

func writeNode(enc *jsontext.Encoder, n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode:
		return writeNodes(enc, jsontext.BeginObject, n.Content, jsontext.EndObject)
	case yaml.SequenceNode:
		return writeNodes(enc, jsontext.BeginArray, n.Content, jsontext.EndArray)
	case yaml.ScalarNode:
		return writeScalar(enc, n)
	}
	return fmt.Errorf("line %d: only plain YAML is converted", n.Line)
}

func writeNodes(enc *jsontext.Encoder, begin jsontext.Token, nodes []*yaml.Node, end jsontext.Token) error {
	if err := enc.WriteToken(begin); err != nil {
		return err
	}
	for _, n := range nodes {
		// A number as a key, such as a status, is text in JSON.
		if kind, length := enc.StackIndex(enc.StackDepth()); kind == '{' && length%2 == 0 {
			if err := enc.WriteToken(jsontext.String(n.Value)); err != nil {
				return err
			}
			continue
		}
		if err := writeNode(enc, n); err != nil {
			return err
		}
	}
	return enc.WriteToken(end)
}

func writeScalar(enc *jsontext.Encoder, n *yaml.Node) error {
	switch n.ShortTag() {
	case "!!null":
		return enc.WriteToken(jsontext.Null)
	case "!!bool":
		return enc.WriteToken(jsontext.Bool(n.Value == "true"))
	case "!!int", "!!float":
		return enc.WriteValue(jsontext.Value(n.Value))
	default:
		return enc.WriteToken(jsontext.String(n.Value))
	}
}

var (
	revalidate = []string{"no-cache"}

	// The page needs its own files and its own service, and nothing else in the
	// world. Nothing on it is inline.
	docsPolicy = []string{strings.Join([]string{
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self'",
		"img-src 'self' data:",
		"connect-src 'self'",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	}, "; ")}
	noReferrer = []string{"no-referrer"}
	noFrames   = []string{"DENY"}
)

func (s *service) openAPIYAML(x *exchange, r *http.Request) error {
	return s.assets.openAPIYAML.send(x, r)
}

func (s *service) openAPIJSON(x *exchange, r *http.Request) error {
	return s.assets.openAPIJSON.send(x, r)
}

// home leads a person who opens the service's address to the documentation. A
// program has no business here, and is told so. No browser keeps the answer:
// what stands at the root of a host may be another service tomorrow.
func (s *service) home(x *exchange, r *http.Request) error {
	x.Header()["Vary"] = []string{"Accept"}
	if !strings.Contains(strings.Join(r.Header["Accept"], ","), "text/html") {
		return problem(codeNotFound, "this service has no such path; /docs/ shows those it has")
	}
	x.Header()["Location"] = []string{"/docs/"}
	x.WriteHeader(http.StatusTemporaryRedirect)
	return nil
}

func (s *service) docsRedirect(x *exchange, _ *http.Request) error {
	x.Header()["Location"] = []string{"/docs/"}
	x.WriteHeader(http.StatusPermanentRedirect)
	return nil
}

func (s *service) docsPage(x *exchange, r *http.Request) error {
	return s.sendDocs(x, r, "index.html")
}

func (s *service) docsAsset(x *exchange, r *http.Request) error {
	return s.sendDocs(x, r, chi.URLParam(r, "asset"))
}

func (s *service) sendDocs(x *exchange, r *http.Request, name string) error {
	a, ok := s.assets.docs[name]
	if !ok {
		return problem(codeNotFound, "the documentation has no such file")
	}
	h := x.Header()
	h["Content-Security-Policy"] = docsPolicy
	h["Referrer-Policy"] = noReferrer
	h["X-Frame-Options"] = noFrames
	return a.send(x, r)
}

func (a asset) send(x *exchange, r *http.Request) error {
	h := x.Header()
	h["Etag"] = []string{a.etag}
	h["Cache-Control"] = revalidate
	if r.Header.Get("If-None-Match") == a.etag {
		x.WriteHeader(http.StatusNotModified)
		return nil
	}
	h["Content-Type"] = a.contentType
	h["Content-Length"] = []string{fmt.Sprint(len(a.body))}
	x.WriteHeader(http.StatusOK)
	_, _ = x.Write(a.body)
	return nil
}
