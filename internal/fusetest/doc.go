// Package fusetest mounts a file system that does not answer, for tests of who has
// to bear with one. It is no part of the program.
package fusetest
