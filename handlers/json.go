package handlers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/decide"
)

// decode reads the whole body as one strict JSON object into a T, and checks
// its fields. Every error is a *Problem.
func decode[T any](x *exchange, r *http.Request) (*T, error) {
	if err := checkMediaType(r.Header); err != nil {
		return nil, err
	}
	buf := buffers.Get().(*bytes.Buffer)
	defer release(buf)
	if err := readBody(buf, x, r); err != nil {
		return nil, err
	}
	v := new(T)
	if err := decodeStrict(buf.Bytes(), v); err != nil {
		return nil, err
	}
	return v, nil
}

// strict: names match exactly and are known. That they are unique, and that
// text is UTF-8, is the decoder's default.
var strict = json.RejectUnknownMembers(true)

// decodeStrict reads exactly one JSON object into v, a pointer to a struct,
// and checks its fields. v keeps nothing of body.
func decodeStrict(body []byte, v any) error {
	if err := screen(body); err != nil {
		return err
	}
	if err := json.Unmarshal(body, v, strict); err != nil {
		return explain(body, reflect.TypeOf(v), err)
	}
	return check(v)
}

// screen refuses what the decoder would take, or would refuse in words that
// help nobody.
func screen(body []byte) error {
	switch {
	case bytes.HasPrefix(body, []byte("\xEF\xBB\xBF")):
		return problem(codeInvalidJSON, "the body starts with a byte order mark; send UTF-8 without one")
	case bytes.HasPrefix(body, []byte("\xFF\xFE")), bytes.HasPrefix(body, []byte("\xFE\xFF")):
		return problem(codeInvalidJSON, "the body is UTF-16; send UTF-8")
	case tooDeep(body):
		return problem(codeInvalidJSON, fmt.Sprintf("the body nests deeper than %d levels", decide.MaxDepth))
	}
	switch start := bytes.TrimLeft(body, " \t\r\n"); {
	case len(start) == 0:
		return problem(codeInvalidJSON, "the body is empty; send a JSON object")
	case start[0] != '{' && jsontext.Value(body).IsValid():
		return problem(codeInvalidJSON, "the body must be a JSON object, not "+article(jsontext.Value(start).Kind()))
	}
	return nil
}

// tooDeep reports whether more than decide.MaxDepth containers are open at
// once. On text that is no JSON the answer means nothing.
func tooDeep(body []byte) bool {
	if bytes.Count(body, []byte("{"))+bytes.Count(body, []byte("[")) <= decide.MaxDepth {
		return false
	}
	depth, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			if depth++; depth > decide.MaxDepth {
				return true
			}
		case c == '}', c == ']':
			depth--
		}
	}
	return false
}

// explain turns the decoder's error into a problem that names all fields which do
// not fit the type. A fault of the syntax anywhere comes first: the decoder may
// have stopped at a field before it.
func explain(body []byte, t reflect.Type, err error) error {
	if fault := syntaxFault(body); fault != nil {
		return fault
	}
	first, ok := faultOf(err, "")
	if !ok {
		return problem(codeInvalidJSON, "the body could not be read")
	}
	if len(body) > maxToldBody {
		return fieldsProblem([]FieldError{first})
	}
	if all := faults(body, t); len(all) > 0 && all[0].Pointer == first.Pointer {
		return fieldsProblem(all)
	}
	return fieldsProblem([]FieldError{first})
}

// maxToldBody is up to which size a body is read once more for all that is wrong
// in it.
const maxToldBody = 64 << 10

// faultOf says where a value that stands at a pointer does not fit, by the
// decoder's error.
func faultOf(err error, at jsontext.Pointer) (FieldError, bool) {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		return FieldError{}, false
	}
	pointer := string(at + semantic.JSONPointer)
	if errors.Is(err, json.ErrUnknownName) {
		return fieldError(codeUnknownField, pointer, unknownField("", nil)), true
	}
	var wrong shapeError
	if errors.As(err, &wrong) {
		return fieldError(codeValidation, pointer, string(wrong)), true
	}
	return fieldError(codeValidation, pointer, "must be "+wanted(semantic)+", not "+article(semantic.JSONKind)), true
}

func syntaxFault(body []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(body))
	if err := dec.SkipValue(); err != nil {
		return syntaxProblem(err)
	}
	if _, err := dec.ReadToken(); err == nil {
		return problem(codeInvalidJSON, "the body holds more than one JSON value")
	} else if !errors.Is(err, io.EOF) {
		return problem(codeInvalidJSON, "something that is not JSON follows the object")
	}
	return nil
}

func syntaxProblem(err error) error {
	var fault *jsontext.SyntacticError
	switch {
	case !errors.As(err, &fault):
		return problem(codeInvalidJSON, "the body ends before the JSON object does")
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fieldProblem(codeDuplicateKey, string(fault.JSONPointer), "this name stands twice in its object")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return problem(codeInvalidJSON, "the body ends before the JSON object does")
	}
	detail := "the body is not JSON"
	if fault.Err != nil {
		detail = clip(strings.ToValidUTF8(fault.Err.Error(), "\uFFFD"), 200)
	}
	return problem(codeInvalidJSON, detail+", at byte "+strconv.FormatInt(fault.ByteOffset, 10))
}

// wanted names the JSON type that the field's Go type takes.
func wanted(e *json.SemanticError) string {
	if e.GoType != nil {
		switch kind := e.GoType.Kind().String(); kind {
		case "string":
			return "a string"
		case "bool":
			return "true or false"
		case "slice":
			return "an array"
		case "struct", "map":
			return "an object"
		case "int", "int64", "uint32":
			return "a whole number"
		}
	}
	return "of another type"
}

func article(kind jsontext.Kind) string {
	switch kind {
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "an array"
	case '{':
		return "an object"
	}
	return "this"
}

// checkMediaType keeps out what a web form can send without asking, and every
// encoding that could unfold into more than the body limit.
func checkMediaType(h http.Header) error {
	for _, encoding := range h["Content-Encoding"] {
		if encoding != "" && !strings.EqualFold(encoding, "identity") {
			return problem(codeMediaType, "compressed bodies are not read; send the JSON as it is")
		}
	}
	types := h["Content-Type"]
	if len(types) == 1 && (types[0] == "application/json" || isJSON(types[0])) {
		return nil
	}
	return problem(codeMediaType, "send Content-Type: application/json")
}

func isJSON(contentType string) bool {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != "application/json" {
		return false
	}
	for name, value := range params {
		if name != "charset" || !strings.EqualFold(value, "utf-8") {
			return false
		}
	}
	return true
}

// readBody reads the whole body into buf, or says why not. The time that it
// may take has been set by armBody.
func readBody(buf *bytes.Buffer, x *exchange, r *http.Request) error {
	limit := x.limits.BodyBytes
	if r.ContentLength > limit {
		return problemTooLarge(limit)
	}
	x.body.R, x.body.N = r.Body, limit+1
	_, err := buf.ReadFrom(&x.body)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		p := problem(codeTimeout, "the body did not arrive within "+x.limits.RequestTimeout.String())
		p.hangUp = true
		return p
	case err != nil:
		p := problem(codeInvalidJSON, "the body could not be read to its end")
		p.hangUp = true
		return p
	case int64(buf.Len()) > limit:
		return problemTooLarge(limit)
	}
	// The server reads on in the background: a deadline left behind would
	// cancel the request while it is answered.
	_ = http.NewResponseController(x.ResponseWriter).SetReadDeadline(time.Time{})
	return nil
}

// armBody bounds the time for the whole body to arrive, also where nobody
// reads it: the server itself reads what a handler left before it goes on.
func armBody(w http.ResponseWriter, r *http.Request, limits *Limits) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(limits.RequestTimeout))
	}
}

func problemTooLarge(limit int64) error {
	p := problem(codeBodyTooLarge, "a body may have at most "+strconv.FormatInt(limit, 10)+" bytes")
	p.hangUp = true
	return p
}

// buffers hold request and response bodies.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// release gives a buffer back, unless it has grown so much that it would keep
// the memory of one large request for good.
func release(buf *bytes.Buffer) {
	if buf.Cap() <= 64<<10 {
		buf.Reset()
		buffers.Put(buf)
	}
}

// Text that comes from the file system need not be UTF-8; an answer always is.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), json.Deterministic(true))

var (
	typeJSON    = []string{"application/json"}
	typeProblem = []string{"application/problem+json"}
	noSniff     = []string{"nosniff"}
	noStore     = []string{"no-store"}
	hangUp      = []string{"close"}
)

// encode answers with v as JSON.
func encode(x *exchange, status int, v any) error {
	return encodeAs(x, status, typeJSON, v)
}

func encodeAs(x *exchange, status int, contentType []string, v any) error {
	buf := buffers.Get().(*bytes.Buffer)
	defer release(buf)
	if err := marshal(buf, v); err != nil {
		return err
	}
	send(x, status, contentType, buf.Bytes())
	return nil
}

func marshal(buf *bytes.Buffer, v any) error {
	if err := json.MarshalWrite(buf, v, lenient); err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	buf.WriteByte('\n') // for who reads it on a terminal
	return nil
}

func send(x *exchange, status int, contentType []string, body []byte) {
	h := x.Header()
	h["Content-Type"] = contentType
	h["Cache-Control"] = noStore
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	x.WriteHeader(status)
	_, _ = x.Write(body) // a client that has gone is not an error of ours
}
