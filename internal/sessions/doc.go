// Package sessions keeps agents' sessions and what people have allowed in
// them, and answers calls under them.
//
// # Where the truth lies
//
// The store has it. A [Keeper] serves sessions from memory, a bounded number of
// them, and asks the store twice a second what has changed (at once where the
// store can tell). It honours what people have given only while its latest look
// at the store began less than [maxStale] ago: a revoked grant lives no longer
// than that on any replica. Beyond it, sessions are judged without what was
// given to them (see [decide.Session.Withdrawn]); policy and floors still decide.
//
// # Who may do what
//
// A runtime keeps its own sessions and can only take away; an approver and an
// admin can give. What each operation asks for is in the table of rights.go.
// A session that a runtime made belongs to it, and no other runtime learns that
// it exists; one that an approver made is there for every runtime.
//
// # Asks
//
// An ask opens an approval, one for each session and call. Resolving it takes
// one transaction, together with the grant that it mints. An approval for one
// call is used up by a transaction before the call is answered: after a crash
// it may be lost, never used twice.
package sessions
