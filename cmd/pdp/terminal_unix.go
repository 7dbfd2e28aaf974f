//go:build unix

package main

import "golang.org/x/sys/unix"

// terminalColumns is how wide a terminal is; 0 if it does not say.
func terminalColumns(fd uintptr) int {
	size, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}

// endOfInput is what a person presses at the beginning of a line to end an input.
const endOfInput = "Ctrl-D"
