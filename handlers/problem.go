package handlers

import (
	"errors"
	"net/http"
	"strings"

	"github.com/agent-pdp/pdp/decide"
)

// Problem is an RFC 9457 problem document, and the error that handlers return
// for what a client may know. Any other error is an internal one.
type Problem struct {
	Type      string       `json:"type"`
	Title     string       `json:"title"`
	Status    int          `json:"status"`
	Detail    string       `json:"detail"`
	Code      string       `json:"code"`
	RequestID string       `json:"request_id,omitempty"`
	Errors    []FieldError `json:"errors,omitempty"`

	retryAfter string // seconds, for the header
	hangUp     bool   // the rest of the request is not worth reading
}

// FieldError is one thing wrong with the request body.
type FieldError struct {
	Pointer string `json:"pointer"` // JSON pointer into the body
	Code    string `json:"code"`
	Detail  string `json:"detail"`
}

func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.Code + ": " + p.Detail)
	for _, e := range p.Errors {
		b.WriteString("; " + e.Pointer + ": " + e.Detail)
	}
	return b.String()
}

const (
	codeInvalidJSON     = "invalid_json"
	codeDuplicateKey    = "duplicate_key"
	codeUnknownField    = "unknown_field"
	codeValidation      = "validation_failed"
	codeMediaType       = "unsupported_media_type"
	codeBodyTooLarge    = "body_too_large"
	codeForbidden       = "forbidden"
	codeNotFound        = "not_found"
	codeMethod          = "method_not_allowed"
	codeRateLimited     = "rate_limited"
	codeTooManyWaiting  = "too_many_waiting"
	codeTooManyStored   = "too_many_stored"
	codeOverloaded      = "overloaded"
	codeNoPolicy        = "policy_unavailable"
	codeTimeout         = "timeout"
	codeLate            = "inspection_timeout"
	codeNoFacts         = "facts_unavailable"
	codeUnauthenticated = "unauthenticated"
	codeConflict        = "conflict"
	codeNoStore         = "store_unavailable"
	codeInternal        = "internal"
)

// problemKinds is the one place that gives a code its status.
var problemKinds = map[string]struct {
	status int
	title  string
}{
	codeInvalidJSON:     {http.StatusBadRequest, "The body is not acceptable JSON"},
	codeDuplicateKey:    {http.StatusBadRequest, "An object names a member twice"},
	codeUnknownField:    {http.StatusBadRequest, "The body has a field that is not known"},
	codeValidation:      {http.StatusBadRequest, "A field of the body is not valid"},
	codeMediaType:       {http.StatusUnsupportedMediaType, "The body must be plain application/json"},
	codeBodyTooLarge:    {http.StatusRequestEntityTooLarge, "The body is too large"},
	codeForbidden:       {http.StatusForbidden, "Not permitted"},
	codeNotFound:        {http.StatusNotFound, "Not found"},
	codeMethod:          {http.StatusMethodNotAllowed, "The method does not fit this path"},
	codeRateLimited:     {http.StatusTooManyRequests, "Too many requests a second"},
	codeTooManyWaiting:  {http.StatusTooManyRequests, "Too many requests of one caller wait"},
	codeTooManyStored:   {http.StatusTooManyRequests, "The caller keeps as many sessions as it may"},
	codeOverloaded:      {http.StatusServiceUnavailable, "Too many requests at once"},
	codeNoPolicy:        {http.StatusServiceUnavailable, "No policy is loaded"},
	codeTimeout:         {http.StatusRequestTimeout, "The body did not arrive in time"},
	codeLate:            {http.StatusGatewayTimeout, "A file system did not answer in time"},
	codeNoFacts:         {http.StatusUnprocessableEntity, "The facts could not be had"},
	codeUnauthenticated: {http.StatusUnauthorized, "No credential that is accepted"},
	codeConflict:        {http.StatusConflict, "It is no longer in that state"},
	codeNoStore:         {http.StatusServiceUnavailable, "The store cannot be reached"},
	codeInternal:        {http.StatusInternalServerError, "Internal error"},
}

func problem(code, detail string, fields ...FieldError) *Problem {
	kind, ok := problemKinds[code]
	if !ok {
		code = codeInternal
		kind = problemKinds[code]
	}
	return &Problem{
		Type:   "urn:pdp:problem:" + code,
		Title:  kind.title,
		Status: kind.status,
		Detail: visible(detail),
		Code:   code,
		Errors: fields,
	}
}

// storeless is the answer of a service that was started without a store, to what
// needs one: trying again does not help.
func storeless(detail string) *Problem {
	p := problem(codeNoStore, "the service was started with --store none: "+detail)
	p.Title = "This service runs without a store"
	return p
}

// fieldProblem is a problem about exactly one field.
func fieldProblem(code, pointer, detail string) *Problem {
	pointer = clip(pointer, maxPointer)
	return problem(code, pointer+": "+detail, fieldError(code, pointer, detail))
}

func fieldError(code, pointer, detail string) FieldError {
	return FieldError{Pointer: clip(pointer, maxPointer), Code: code, Detail: visible(detail)}
}

// maxPointer bounds how much of a client's own key an answer repeats.
const maxPointer = 256

// publicProblem keeps the cause of an internal error from the client.
func publicProblem(err error) *Problem {
	var late *decide.LateError
	if errors.As(err, &late) { // about what is no decision, which would be a deny
		return problem(codeLate, late.Error())
	}
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	return problem(codeInternal, "the request could not be answered; no decision was made")
}

// hidden is a problem with a cause that only the log is told.
type hidden struct {
	*Problem
	cause error
}

func (h *hidden) Error() string { return h.cause.Error() }
func (h *hidden) Unwrap() error { return h.Problem }
