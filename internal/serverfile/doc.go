// Package serverfile reads the file that says how the service runs: where it
// listens, where its files are, and who may call. What agents may do is in the
// policy file.
//
// Whoever can write this file can make himself an administrator: [Load] refuses
// one that everybody may write. Keys that are not known are refused with their
// line, and so is all that makes YAML a language.
package serverfile
