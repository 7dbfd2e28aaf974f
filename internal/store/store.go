// Package store keeps what must survive the service: sessions with their
// grants, approvals, tokens and the audit log. It knows how to keep things, not
// what they mean: who may change what is decided above it, in packages
// sessions, auth and audit.
//
// # Promises
//
// Every method is one transaction. What a method that changes something has
// answered with a nil error is on disk (or at the database server) and is seen
// by every later read, on this replica at once. A change that failed left
// nothing behind, except after ErrUnavailable: then it may or may not have
// happened, and the caller must look before it repeats.
//
// Every change of a session, an approval or a token takes the next revision, in
// the order in which changes become visible: whoever has read the changes up to
// a revision has missed none below it.
//
// # What can be kept
//
// Names (every id, owner, key and writer, and what is compared with one) are
// valid UTF-8 without NUL, at most MaxName bytes, and compared byte for byte.
// Other texts may be longer. A value that cannot be kept is refused with
// ErrInvalid; looked for, it is not there. Times are kept in microseconds and
// come back in UTC; empty and nil slices and maps are the same to a store.
//
// A call whose context has no deadline gets that of the engine's options, except
// Backup and WalkRecords, which take as long as they need.
//
// Something that ends at a time has ended at that very time: it lives while
// now is before it.
package store

import (
	"context"
	"errors"
	"time"
)

// Errors that callers tell apart; all others mean that the store is broken in a
// way that no caller can mend.
var (
	// ErrNotFound says that nothing is stored under the name.
	ErrNotFound = errors.New("nothing is stored under this name")
	// ErrExists says that the name is taken.
	ErrExists = errors.New("the name is taken")
	// ErrUnavailable says that the database cannot be reached, cannot write, or
	// did not answer in time.
	ErrUnavailable = errors.New("the store cannot be reached")
	// ErrNewerSchema says that a newer program has written the database.
	ErrNewerSchema = errors.New("the database was written by a newer version of the program")
	// ErrInvalid says that a value cannot be kept, or that a question is none.
	ErrInvalid = errors.New("this cannot be stored")
	// ErrUnsupported says that this engine leaves the task to the tools of its
	// database.
	ErrUnsupported = errors.New("this store leaves that to the tools of its database")
)

// ErrTooMany says that as many of them are stored as there may be.
var ErrTooMany = errors.New("there are too many of them")

// MaxPending is how many approvals of one session can be pending.
const MaxPending = 1000

// MaxName is the length in bytes up to which a name can be kept.
const MaxName = 512

// Store is what both engines offer.
type Store interface {
	Sessions
	Approvals
	Tokens
	Log
	Changes

	// Backup writes a consistent copy to a file that must not exist yet, while
	// the service runs. ErrUnsupported where the database has its own tools.
	Backup(ctx context.Context, file string) error
	// Close gives back what the store holds. Later calls fail with ErrUnavailable.
	Close() error
}

// Session is one agent's stored context, with what was granted to it.
type Session struct {
	ID      string
	Owner   string // the caller that created it
	Widened bool   // its allowances were written by somebody who may give them
	Spec    []byte // the context as JSON, without grants
	Labels  map[string]string
	Grants  []Grant
	TTL     time.Duration // how long it lives without being used
	Created time.Time
	Updated time.Time
	Expires time.Time // pushed on by use
	// Revision is that of the last change; the store sets it. Use alone is none.
	Revision int64
}

// Grant is what a person allowed for the rest of a session.
type Grant struct {
	ID         string            `json:"id"`
	Kind       string            `json:"kind"` // tool, command, domain, read_only_commands
	Value      string            `json:"value"`
	Definition string            `json:"definition,omitempty"` // of the tool, as it was when it was granted
	Files      map[string]string `json:"files,omitempty"`      // that the command runs: resolved path → SHA-256 in hex
	By         string            `json:"by"`                   // the caller who granted it
	Approval   string            `json:"approval,omitempty"`   // the approval that it came from
	Created    time.Time         `json:"created"`
	Expires    time.Time         `json:"expires,omitzero"` // zero: with the session
}

// Sessions keeps sessions. Names are compared byte for byte.
type Sessions interface {
	// Session reads one session by its name, in one indexed read. A session that
	// has expired is returned too: the caller looks at Expires.
	Session(ctx context.Context, id string) (Session, error)
	// ChangeSession reads the session (nil: none is stored), calls change, and
	// stores what that returns (nil: the session is deleted, and with it what is
	// open: its pending approvals have expired, and those for one call are no
	// longer usable, so that a later session of that name has none of them).
	// No other change of the session happens in between. It returns what is stored
	// now, or what was deleted. An error of change is returned as it is, and nothing
	// is stored. change may be called more than once, and must not call the store.
	ChangeSession(ctx context.Context, id string, change func(*Session) (*Session, error)) (Session, error)
	// ListSessions reads a page in the order of names. next is the After of the
	// page behind it; empty: there is none. A page may be short, or empty, and have
	// a next one.
	ListSessions(ctx context.Context, q SessionQuery) (page []Session, next string, err error)
	// OwnedSessions counts what is stored for an owner, expired or not: sessions,
	// and the bytes of their contexts, labels and grants.
	OwnedSessions(ctx context.Context, owner string) (sessions int, bytes int64, err error)
	// TouchSessions notes when sessions were used: each expires its TTL later, as
	// that is by now, and never earlier than it did. Names that are not stored are
	// passed over.
	TouchSessions(ctx context.Context, used map[string]time.Time) error
	// DropSessions deletes at most limit sessions that expired before a time, as
	// ChangeSession does, and returns their names.
	DropSessions(ctx context.Context, before time.Time, limit int) ([]string, error)
}

// SessionQuery selects sessions; zero fields select everything.
type SessionQuery struct {
	Owner  string
	Labels map[string]string // each must have this value
	Alive  time.Time         // not expired at this time
	After  string            // names above this one
	Limit  int               // at most so many; must be positive
	Bytes  int64             // at most so many as they are stored, but one session at least; 0: no bound
}

// ApprovalState is how far an approval has come.
type ApprovalState string

// A pending approval whose time has passed is expired, whether or not that has
// been written down.
const (
	Pending  ApprovalState = "pending"
	Approved ApprovalState = "approved"
	Denied   ApprovalState = "denied"
	Expired  ApprovalState = "expired"
)

// Approval is a question to a person about one call of a session.
type Approval struct {
	ID        string
	Session   string
	Key       string // of the call: a hash over all that must stay the same
	State     ApprovalState
	HumanOnly bool
	Request   []byte // JSON: what the person is shown, and what a grant is made from
	Created   time.Time
	Expires   time.Time

	Outcome  string // how it was resolved; empty while it is pending
	Note     string
	By       string // the caller who resolved it
	Resolved time.Time
	UsableTo time.Time // resolved for one call: until when that call may pass
	Used     time.Time // when it did

	Revision int64 // of the last change; the store sets it
}

// Approvals keeps approvals.
type Approvals interface {
	// OpenApproval stores a pending approval, unless one is open for the same
	// session and key at a.Created: one that is pending and not expired, or one
	// that was resolved for one call, is unused and still usable. Then it returns
	// that one. Two callers at the same time get the same approval. opened says
	// that it is the new one. ErrNotFound without the session; ErrTooMany
	// if MaxPending others of the session are pending.
	OpenApproval(ctx context.Context, a Approval) (stored Approval, opened bool, err error)
	Approval(ctx context.Context, id string) (Approval, error)
	// ListApprovals reads a page, newest first. A pending approval that expired
	// before q.Now counts as expired. next is the Before of the page behind it, as
	// in ListSessions.
	ListApprovals(ctx context.Context, q ApprovalQuery) (page []Approval, next string, err error)
	// Resolve reads an approval and its session (nil if that is gone), calls
	// change, and stores both in one transaction: either the approval is resolved
	// and the grant exists, or neither. Of the approval only State, Outcome, Note,
	// By, Resolved, UsableTo and Used can change. A session that change left alone
	// takes no revision. An error of change is returned as it is; change may be
	// called more than once, and must not call the store.
	Resolve(ctx context.Context, id string, change func(*Approval, *Session) error) (Approval, error)
	// UseApproval takes the approval for one call of this session and key, if
	// there is one that is usable at now, and marks it used. Of callers at the same
	// time exactly one gets it; the others ErrNotFound.
	UseApproval(ctx context.Context, session, key string, now time.Time) (Approval, error)
	// DropApprovals deletes at most limit approvals that were done with (expired,
	// used, denied, or no longer usable) before a time.
	DropApprovals(ctx context.Context, before time.Time, limit int) (int, error)
}

// ApprovalQuery selects approvals; zero fields select everything.
type ApprovalQuery struct {
	Session string
	Owner   string // of the session, when the approval was opened
	State   ApprovalState
	Now     time.Time
	Before  string // ids below this one (they are UUIDv7: older ones)
	Limit   int    // at most so many; must be positive
	Bytes   int64  // at most so many of their requests and notes, but one approval at least; 0: no bound
}

// Token is a credential. Only its hash is kept.
type Token struct {
	ID      string
	Name    string // for people
	Role    string
	Hash    []byte // SHA-256 of the secret
	Created time.Time
	Expires time.Time // zero: never
	Revoked time.Time // zero: it is valid
}

// Tokens keeps tokens.
type Tokens interface {
	// AddToken stores a token; ErrExists if the id is taken, or the name by a token
	// that is valid at t.Created.
	AddToken(ctx context.Context, t Token) error
	// RevokeToken ends a token; ErrNotFound if there is none, nil if it had ended.
	RevokeToken(ctx context.Context, id string, now time.Time) error
	// ListTokens reads all tokens, in the order in which they were made.
	ListTokens(ctx context.Context) ([]Token, error)
}

// Change names something that changed.
type Change struct {
	Revision int64
	Kind     ChangeKind
	ID       string
}

// ChangeKind is the kind of thing that changed.
type ChangeKind string

const (
	SessionChanged  ChangeKind = "session"
	ApprovalChanged ChangeKind = "approval"
	TokenChanged    ChangeKind = "token"
)

// ErrForgotten says that changes since that revision are no longer known: the
// caller must forget what it remembers.
var ErrForgotten = errors.New("the changes since that revision are no longer known")

// Changes tells replicas what others have changed.
type Changes interface {
	// Revision returns the revision of the latest change.
	Revision(ctx context.Context) (int64, error)
	// ChangesSince returns at most limit changes after a revision, oldest first;
	// ErrForgotten if some of them are gone, or if the store has never been there
	// (an older copy was put in its place).
	ChangesSince(ctx context.Context, revision int64, limit int) ([]Change, error)
	// Wake returns a channel, for one reader, that receives when something may have
	// changed elsewhere; nil if this engine cannot tell. It is a hint: who needs to
	// know asks for the revision from time to time.
	Wake() <-chan struct{}
	// ForgetChanges drops the oldest changes, up to the first that is no older than
	// a time. Their time is that of the machine that made them.
	ForgetChanges(ctx context.Context, before time.Time) error
}

// Record is one line of the audit log. The header (everything but Content and
// Salt) is chained and stays; the content can be erased and leaves the chain
// whole, since the header holds only its salted hash.
type Record struct {
	Writer  string
	Seq     int64     // 1, 2, 3, … for each writer
	ID      string    // UUIDv7
	Time    time.Time // in microseconds
	Kind    string    // decision, approval, grant, …
	Session string
	Caller  string
	Tool    string
	Outcome string
	Code    string

	Content     []byte // JSON; nil once erased
	Salt        []byte // nil once erased
	ContentHash []byte // over salt and content
	Hash        []byte // over the hash of the record before it and this header

	// Odd names a column that holds its value in another type than it was stored
	// in, as somebody past the store can bring about: it reads the same and hashes
	// the same, but questions do not find it. Empty: none. Append ignores it.
	Odd string
}

// Checkpoint is a signed statement of a writer about its chain.
type Checkpoint struct {
	Writer    string
	Seq       int64  // of the record that it speaks of
	Hash      []byte // of that record
	Kind      string // start, periodic, shutdown, pruned
	Time      time.Time
	Signature []byte // Ed25519, by the writer's key
}

// Writer is one author of a chain.
type Writer struct {
	ID        string
	PublicKey []byte // Ed25519
	Started   time.Time
	// Pruned and PrunedHash: the last record that retention has taken away; 0 if
	// none was.
	Pruned     int64
	PrunedHash []byte
}

// Head is the end of a chain: the last record's number and hash; zero and nil
// for an empty one.
type Head struct {
	Seq  int64
	Hash []byte
}

// Log keeps the audit log. Appending is the hot path.
type Log interface {
	// OpenWriter stores the writer if it is new, and returns the end of its chain.
	// ErrExists if it is stored with another key.
	OpenWriter(ctx context.Context, w Writer) (Head, error)
	// Append stores records and checkpoints in one transaction with one sync.
	// ErrNotFound if a writer was never opened; ErrExists if a record of that writer
	// and number, or of that id, is or was stored already.
	Append(ctx context.Context, records []Record, checkpoints []Checkpoint) error
	// Record reads one record by its id.
	Record(ctx context.Context, id string) (Record, error)
	// ListRecords reads a page, newest first (by id). It looks at a bounded number
	// of records: more says that there may be further ones below last, also when the
	// page is short or empty; without more, last is empty.
	ListRecords(ctx context.Context, q RecordQuery) (page []Record, last string, more bool, err error)
	// WalkRecords calls visit for the records of a writer above a number, in
	// order, reading as it goes: it is no single transaction, and visit may call the
	// store. It ends at visit's first error, and returns it.
	WalkRecords(ctx context.Context, writer string, above int64, visit func(Record) error) error
	// ListWriters reads all writers, in the order in which they were first opened.
	ListWriters(ctx context.Context) ([]Writer, error)
	// ListCheckpoints reads a writer's checkpoints in the order of their numbers,
	// those of one number in the order in which they were stored.
	ListCheckpoints(ctx context.Context, writer string) ([]Checkpoint, error)
	// CountStrays counts records and checkpoints that no chain has: their writer is
	// unknown, or their number is none. It stops counting at a thousand in one place
	// between two writers.
	CountStrays(ctx context.Context) (int64, error)
	// EraseContents takes content and salt from all records of a session that are
	// stored when it begins, and returns how many had some. It goes in steps, each a
	// transaction with a deadline of its own unless ctx has one: after an error those
	// that are counted are gone, and the call can be repeated for the rest.
	EraseContents(ctx context.Context, session string) (int, error)
	// Prune deletes a writer's records up to and including the one that a
	// checkpoint of kind pruned speaks of, and stores the checkpoint; earlier
	// checkpoints stay. ErrNotFound if there is no such record, ErrInvalid if its
	// hash is another. All in one transaction: prune in steps.
	Prune(ctx context.Context, c Checkpoint) (int, error)
}

// RecordQuery selects records; zero fields select everything.
type RecordQuery struct {
	Kind    string
	Session string
	Caller  string
	Tool    string
	Outcome string
	Code    string
	Since   time.Time // at or after
	Until   time.Time // before
	Before  string    // ids below this one
	Limit   int       // at most so many; must be positive
}
