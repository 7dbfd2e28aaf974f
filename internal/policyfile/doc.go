// Package policyfile reads the operator's policy: a YAML file, checked strictly
// and reported on with line and column, and watched for new versions.
//
// Reading is one table (keys.go) applied by one walker. The same table writes
// the commented starter and prints the effective policy, so that a key which is
// read is also documented and shown.
//
// YAML is used as a notation for lists and names, not as a language: anchors,
// aliases, tags, merge keys and several documents are refused, and a text that
// YAML would turn into a number, a date or a truth value is an error where a
// text is meant. A file that is not understood in full is not used in part.
//
// What is not promised: that the file was written by the right person. Whoever
// can write the file or replace a directory above it decides what is allowed.
// A writer should replace the file by renaming a complete one over it: a half
// written file may happen to be a valid, shorter policy.
package policyfile
