// Package programs knows what the words of one command do: which options of a
// program write, run, read, send or destroy something, which programs run
// others that their words name, and which only look.
//
// The knowledge is a table, programs.txt, that people can read and extend; an
// operator's policy adds to it. What the table does not list is taken for a
// plain argument, so it is a list of what is known to be dangerous and no proof
// that the rest is not: a program can do anything once it runs.
package programs
