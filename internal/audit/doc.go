// Package audit keeps the record of who asked what, what was answered, and who
// allowed it: a chain of records for each writer, redacted before anything is
// kept, and written in batches.
//
// # Promises
//
// What [Writer.Write] has taken is stored, in the order in which it was taken,
// or is counted as dropped; nothing is dropped unless the operator chose to
// answer without a log. In sync mode it is stored when Write returns. In async
// mode a crash loses at most what was taken within [MaxLag].
//
// A record that was changed, removed, put elsewhere or added later is found by
// [Verify], within the bounds that docs/audit.md names: the end of a chain is
// only as sure as the latest checkpoint that is kept where the attacker is not.
//
// # Not promised
//
// Redaction knows names and shapes. A secret that has neither (a password as a
// plain word) stays in the record.
package audit
