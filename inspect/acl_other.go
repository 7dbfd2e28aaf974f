//go:build !windows

package inspect

const nativeACLs = false

func readOwnerDACL(string) (OwnerDACL, error) { return UnsupportedOwnerDACL(), nil }

// inAppContainer: there are none here.
func inAppContainer() bool { return false }
