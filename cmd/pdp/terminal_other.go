//go:build !unix

package main

// terminalColumns is not known here.
func terminalColumns(uintptr) int { return 0 }

// endOfInput is what a person presses at the beginning of a line to end an input.
const endOfInput = "Ctrl-Z and Enter"
