package sessions

import (
	"errors"
	"fmt"

	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// operation is something that a caller may want to do with a session.
type operation uint8

const (
	use     operation = iota // have calls decided under it
	read                     // see it, its grants and approvals
	keep                     // write or delete it, taking away only
	give                     // widen it, mint grants, resolve approvals
	revoke                   // take back grants
	listAll                  // see everybody's
)

// rights is who may do what. Runtimes are held to their own sessions besides.
var rights = map[operation][]auth.Role{
	use:     {auth.Runtime, auth.Approver, auth.Admin},
	read:    {auth.Runtime, auth.Viewer, auth.Approver, auth.Admin},
	keep:    {auth.Runtime, auth.Approver, auth.Admin},
	give:    {auth.Approver, auth.Admin},
	revoke:  {auth.Approver, auth.Admin},
	listAll: {auth.Viewer, auth.Approver, auth.Admin},
}

func may(c auth.Caller, op operation) bool {
	if c.ID == "" {
		return false // a session without an owner is everybody's
	}
	for _, role := range rights[op] {
		if c.Role == role {
			return true
		}
	}
	return false
}

// ForbiddenError says what the caller's role does not allow.
type ForbiddenError struct{ Detail string }

func (e *ForbiddenError) Error() string { return e.Detail }

func forbid(format string, args ...any) error {
	return &ForbiddenError{fmt.Sprintf(format, args...)}
}

// ForeignError is a store.ErrNotFound for what is there, and is another caller's:
// for the log alone.
type ForeignError struct{ Session string }

func (e *ForeignError) Error() string { return "the session is another caller's" }
func (e *ForeignError) Unwrap() error { return store.ErrNotFound }

// InvalidError says what is wrong with a value, at a JSON pointer.
type InvalidError struct{ Pointer, Detail string }

func (e *InvalidError) Error() string { return e.Pointer + ": " + e.Detail }

// ErrConflict says that the thing is no longer in the state that the request
// is about.
var ErrConflict = errors.New("it is no longer in that state")

// conflict is an ErrConflict that says what is.
type conflict string

func (c conflict) Error() string        { return string(c) }
func (c conflict) Is(target error) bool { return target == ErrConflict }
