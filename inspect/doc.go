// Package inspect reports who can read, write or replace a path.
//
// [Path] makes one report of one path, [Pool] many with deadlines. [ReadSecureFile]
// reads a secret from the very handle that it has checked. Most of the rest is pure:
// it turns text, JSON or bytes that came from a Windows or Linux system into the
// same facts on every operating system ([ParseIcacls], [Summarize], [ParseFacts],
// [Classify], [ParseDescriptor], [Reset], [ParsePosixACL], [ParseCapabilities]).
//
// A report is a statement about one moment: a path may name another object before
// the caller reads the answer. Nothing is changed and nothing is kept open.
// Whoever acts on a file must check again on the open handle.
//
// What is not promised: that an absent finding means safe, and that the system
// calls for Windows do what they should: they were never run on a real one. What
// could not be determined is null, unresolved or unverified, never a guess.
//
// Where the answers differ on purpose from the library whose reports this
// package keeps, testdata/divergences.txt names every known case.
package inspect
