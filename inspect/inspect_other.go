//go:build !linux

package inspect

// extendedACL is not determined here.
func extendedACL(string, Kind) *bool { return nil }
