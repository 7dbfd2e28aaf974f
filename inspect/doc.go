// Package inspect reports who can read, write or replace a path.
//
// [Path] makes one report of one path. Everything else in the package is pure:
// it turns text, JSON or bytes that came from a Windows system into the same
// facts on every operating system ([ParseIcacls], [Summarize], [ParseFacts],
// [Classify], [ParseDescriptor], [Reset]).
//
// A report is a statement about one moment. It opens nothing, changes nothing
// and holds nothing: a path may name another object before the caller reads the
// answer. Whoever acts on a file must check again on the open handle.
//
// What is not promised: effective access (capabilities, network mapping and
// most access lists are outside of the mode bits), and that an absent finding
// means safe. What could not be determined is null, unresolved or unverified,
// never a guess.
//
// Where the answers differ on purpose from the library whose reports this
// package keeps, testdata/divergences.txt names every known case.
package inspect
