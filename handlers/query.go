package handlers

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// query is the query string of a request, of which every name is known and
// given once, but for those that may be repeated.
type query struct{ values url.Values }

// repeated are the names that may be given more than once.
var repeated = []string{"label"}

// readQuery refuses what the route does not know: a filter that is misspelt
// would select everything.
func readQuery(r *http.Request, known ...string) (query, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return query{}, badQuery("the query string cannot be read: a % must stand before two of 0-9 and a-f, and parameters are joined by &")
	}
	for name, list := range values {
		switch {
		case !slices.Contains(known, name):
			if len(known) == 0 {
				return query{}, queryProblem(name, "is not known here; there is none")
			}
			return query{}, queryProblem(name, "is not known here; use "+joinList(known))
		case len(list) > 1 && !slices.Contains(repeated, name):
			return query{}, queryProblem(name, "is given twice")
		case slices.ContainsFunc(list, neverKept):
			return query{}, queryProblem(name, "holds NUL or is not UTF-8, which nothing that is kept does")
		}
	}
	return query{values}, nil
}

// neverKept reports whether a text can be part of nothing in the store: as a filter
// it would select nothing, which looks like an answer.
func neverKept(text string) bool {
	return strings.ContainsRune(text, 0) || !utf8.ValidString(text)
}

// queryProblem names a parameter; there is no pointer into a query string.
func queryProblem(name, detail string) error {
	return badQuery("query parameter " + clip(name, maxPointer) + " " + detail)
}

func badQuery(detail string) *Problem {
	p := problem(codeValidation, detail)
	p.Title = "A parameter of the query is not valid"
	return p
}

func (q query) get(name string) string { return q.values.Get(name) }

// Bounds of a page.
const (
	defaultPage = 100
	maxPage     = 1000
)

func (q query) limit() (int, error) {
	text := q.get("limit")
	if text == "" {
		return defaultPage, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxPage {
		return 0, queryProblem("limit", "must be a whole number from 1 to 1000")
	}
	return n, nil
}

func (q query) labels() (map[string]string, error) {
	labels := map[string]string{}
	for _, text := range q.values["label"] {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, queryProblem("label", "must be name=value")
		}
		labels[name] = value
	}
	return labels, nil
}

// oneOf reads a parameter that has few values; absent is the empty one.
func (q query) oneOf(name string, known ...string) (string, error) {
	text := q.get(name)
	if text != "" && !slices.Contains(known, text) {
		return "", queryProblem(name, "must be one of "+joinList(known))
	}
	return text, nil
}

// duration reads a time such as 30s; a plain number counts seconds.
func (q query) duration(name string, most time.Duration) (time.Duration, error) {
	text := q.get(name)
	if text == "" {
		return 0, nil
	}
	if _, err := strconv.Atoi(text); err == nil {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > most {
		return 0, queryProblem(name, "must be a time from 0s to "+most.String())
	}
	return d, nil
}

// moment reads a time of RFC 3339.
func (q query) moment(name string) (time.Time, error) {
	text := q.get(name)
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, queryProblem(name, "must be a time such as 2026-01-31T12:00:00Z")
	}
	return t, nil
}
