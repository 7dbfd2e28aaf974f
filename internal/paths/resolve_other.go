//go:build !linux

package paths

var localWalk = walk{
	os:       Native(),
	look:     lookNative,
	readlink: readlinkNative,
	magic:    func(string) bool { return false },
}

// There is no call that resolves a whole path without following too much.
func resolveFast(string) (Resolved, bool) { return Resolved{}, false }

// Only Linux has links that lead elsewhere than their text says.
func passesMagicLink(string) bool { return false }
