//go:build !unix

package main

// terminalColumns is not known here.
func terminalColumns(uintptr) int { return 0 }
