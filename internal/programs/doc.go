// Package programs knows what the words of one command mean to the program
// that gets them: which of them run, write, send, destroy or reveal something,
// which stand for files and hosts, and where a wrapper's program begins.
//
// The knowledge is one embedded text, programs.txt, which explains its own
// language and carries its own examples; an operator extends it in the same
// words ([Table.Extend]), and can only make it stricter.
//
// The package takes words as the program would get them and never reads a
// shell's text, a file or the network. It judges words, not programs: what a
// program does on its own account, what its configuration makes of it and
// what is in the files that it is given are not visible here. A program that
// the table does not know is taken at its name.
package programs
