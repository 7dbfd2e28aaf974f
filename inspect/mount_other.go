//go:build !linux

package inspect

func mountPointOf(string) string { return "" }
