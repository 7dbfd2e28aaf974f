package handlers

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
)

// A cursor is a place in one list under its filters: a mark of these, and the
// place, as base64. The mark keeps a client from going on where nothing follows,
// or something else does, with a cursor of another list or question. It needs no
// secret, so that every replica takes it: who makes one up chooses a place to
// begin, and sees from there what the list shows to that caller anyway.

// cursorMark is how many bytes of the digest are kept.
const cursorMark = 12

// maxCursor bounds what is decoded; a place is an id.
const maxCursor = 4 * maxName

// cursor returns the place after which the page begins; empty: at the beginning.
func (q query) cursor(list string) (place string, err error) {
	text := q.get("cursor")
	if text == "" {
		if q.values.Has("cursor") {
			return "", cursorProblem()
		}
		return "", nil
	}
	if len(text) > maxCursor {
		return "", cursorProblem()
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(raw) <= cursorMark || base64.RawURLEncoding.EncodeToString(raw) != text {
		return "", cursorProblem()
	}
	if place = string(raw[cursorMark:]); q.mark(list, place) != string(raw[:cursorMark]) || !isPlace(place) {
		return "", cursorProblem()
	}
	return place, nil
}

// next is the cursor of the page behind a place; empty: there is none.
func (q query) next(list, place string) string {
	if place == "" {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString([]byte(q.mark(list, place) + place))
}

// mark is the digest of a list, its filters and a place in it. How long a page is
// may change from one to the next.
func (q query) mark(list, place string) string {
	h := sha256.New()
	put := func(text string) {
		_ = binary.Write(h, binary.BigEndian, uint32(len(text)))
		h.Write([]byte(text))
	}
	put(list)
	put(place)
	for _, name := range slices.Sorted(maps.Keys(q.values)) {
		if name == "cursor" || name == "limit" {
			continue
		}
		for _, value := range slices.Sorted(slices.Values(q.values[name])) {
			if value != "" {
				put(name)
				put(value)
			}
		}
	}
	return string(h.Sum(nil)[:cursorMark])
}

// isPlace reports whether a text can be an id.
func isPlace(s string) bool {
	return len(s) <= maxName && strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7F }) < 0
}

func cursorProblem() error {
	return queryProblem("cursor", "is no next_cursor of this list with these filters; leave it out to begin with the first page")
}
