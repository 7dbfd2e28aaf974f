package sqldb

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agent-pdp/pdp/internal/store"
)

// Times that fit a calendar; beyond them microseconds run over.
var (
	firstTime = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	lastTime  = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
)

// micros is how a time is kept: microseconds since 1970, and 0 for the zero time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Micros is how engines keep a time in a record.
func Micros(t time.Time) int64 { return micros(t) }

func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

// bit is how a yes or no is kept.
func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// isName reports whether a text can be a name.
func isName(s string) bool {
	return s != "" && len(s) <= store.MaxName && isText(s)
}

// isText reports whether a text can be kept: PostgreSQL has none with NUL, and
// JSON none with bytes that are no UTF-8.
func isText(s string) bool {
	return utf8.ValidString(s) && !strings.Contains(s, "\x00")
}

// check collects the first reason why a value cannot be kept.
type check struct{ err error }

func (c *check) refuse(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s", store.ErrInvalid, fmt.Sprintf(format, args...))
	}
}

func (c *check) name(what, s string) {
	if !isName(s) {
		c.refuse("%s is no name of 1 to %d bytes of UTF-8", what, store.MaxName)
	}
}

// optional is a name that may be empty.
func (c *check) optional(what, s string) {
	if s != "" {
		c.name(what, s)
	}
}

func (c *check) text(what, s string) {
	if !isText(s) {
		c.refuse("%s has NUL or is not UTF-8", what)
	}
}

func (c *check) time(what string, t time.Time) {
	if !t.IsZero() && (t.Before(firstTime) || t.After(lastTime)) {
		c.refuse("%s lies outside of the calendar", what)
	}
}

func (c *check) limit(n int) {
	if n <= 0 {
		c.refuse("the limit is not positive")
	}
}

// encodeLabels writes an object with sorted keys, so that equal labels are equal
// texts.
func encodeLabels(labels map[string]string) (string, error) {
	if len(labels) == 0 {
		return "{}", nil
	}
	text, err := json.Marshal(labels)
	return string(text), err
}

func decodeLabels(text []byte) (map[string]string, error) {
	var labels map[string]string
	if err := json.Unmarshal(text, &labels); err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	if len(labels) == 0 {
		return nil, nil
	}
	return labels, nil
}

func encodeGrants(grants []store.Grant) ([]byte, error) {
	if len(grants) == 0 {
		return nil, nil
	}
	kept := make([]store.Grant, len(grants))
	for i, g := range grants {
		g.Created, g.Expires = fromMicros(micros(g.Created)), fromMicros(micros(g.Expires))
		kept[i] = g
	}
	return json.Marshal(kept)
}

func decodeGrants(text []byte) ([]store.Grant, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var grants []store.Grant
	if err := json.Unmarshal(text, &grants); err != nil {
		return nil, fmt.Errorf("grants: %w", err)
	}
	return grants, nil
}

// Bytes is how engines keep bytes: none at all is NULL.
func Bytes(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}
