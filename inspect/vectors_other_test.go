//go:build !linux

package inspect

import "testing"

// The tree of the vectors has modes, owners and names that only Linux makes for
// everybody, so the vectors about files are replayed there.

func makeFixtures(*testing.T) string    { return "{{DIR}}" }
func needsFixturesOfRoot(string) bool   { return true }
func replayStat(*testing.T, vector) any { return hostSpecific }
func replayPath(*testing.T, vector) any { return hostSpecific }
