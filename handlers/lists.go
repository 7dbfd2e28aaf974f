package handlers

import (
	"bytes"
	"net/http"
)

// A page may hold some megabytes: few are read and encoded at the same time, and
// one caller has few that are not yet sent, however slowly it reads.
const (
	maxListsAtOnce = 4
	maxListsOfOne  = 16
)

type listResponse[R any] struct {
	Items      []R     `json:"items"`
	NextCursor *string `json:"next_cursor"`
}

// pageOf is a page of a list. next is the cursor of the page behind it; empty:
// there is none.
func pageOf[T, R any](items []T, next string, reply func(T) R) listResponse[R] {
	res := listResponse[R]{Items: []R{}}
	for _, item := range items {
		res.Items = append(res.Items, reply(item))
	}
	if next != "" {
		res.NextCursor = &next
	}
	return res
}

// list answers with the page that read returns.
func (s *service) list(x *exchange, r *http.Request, read func() (any, error)) error {
	if !s.lists.take(x.caller.ID) {
		return retryLater(codeTooManyWaiting, "too many lists of this caller are not sent yet")
	}
	defer s.lists.giveBack(x.caller.ID)
	var body bytes.Buffer
	if err := s.readList(r, &body, read); err != nil {
		return err
	}
	send(x, http.StatusOK, typeJSON, body.Bytes())
	return nil
}

func (s *service) readList(r *http.Request, into *bytes.Buffer, read func() (any, error)) error {
	select {
	case s.listTurns <- struct{}{}:
		defer func() { <-s.listTurns }()
	case <-r.Context().Done():
		return retryLater(codeOverloaded, "too many lists are being read")
	}
	page, err := read()
	if err != nil {
		return err
	}
	return marshal(into, page)
}
