package inspect

import (
	"regexp"
	"strings"
)

// A SID names a Windows principal independently of language and of what the
// principal is called today: "s-1-5-18". Names can be chosen, translated and
// reused; trust is decided on SIDs wherever there is one.

// sidPattern has no case folding: under (?i) the long s U+017F would pass as s.
var sidPattern = regexp.MustCompile(`^\*?[sS]-[0-9]+-[0-9]+(-[0-9]+)+\z`)

// IsSID reports whether text is a SID in the notation of Windows, with the
// leading asterisk of icacls or without. Nothing around it is tolerated.
func IsSID(text string) bool { return sidPattern.MatchString(text) }

// normalizeSID lower-cases a SID and drops the asterisk.
func normalizeSID(text string) string { return strings.TrimPrefix(lower(text), "*") }

const (
	sidEveryone      = "s-1-1-0"
	sidSystem        = "s-1-5-18"
	sidAdmins        = "s-1-5-32-544"
	sidTrustedInst   = "s-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"
	sidCreatorOwner  = "s-1-3-0"
	sidCreatorGroup  = "s-1-3-1"
	sidAllPackages   = "s-1-15-2-1"
	sidAllRestricted = "s-1-15-2-2"
)

// Class is what a principal means for the protection of an object.
type Class int

const (
	// ClassGroup is every principal that is neither trusted nor the world.
	ClassGroup Class = iota
	// ClassTrusted is the user, the system and its administrators.
	ClassTrusted
	// ClassWorld is a set of principals that strangers belong to.
	ClassWorld
)

var worldSIDs = map[string]bool{
	sidEveryone:      true,
	"s-1-2-0":        true, // Local
	"s-1-5-2":        true, // Network
	"s-1-5-4":        true, // Interactive
	"s-1-5-7":        true, // Anonymous Logon
	"s-1-5-11":       true, // Authenticated Users
	"s-1-5-32-545":   true, // Users
	"s-1-5-32-546":   true, // Guests
	sidAllPackages:   true, // every sandboxed program of the machine
	sidAllRestricted: true,
}

var trustedSIDs = map[string]bool{sidSystem: true, sidAdmins: true, sidTrustedInst: true}

// ClassOfSID classifies a SID for the given user. A user SID that is not a SID,
// or that is the world, adds no trust. The world is decided first.
func ClassOfSID(sid, user string) Class {
	sid = normalizeSID(sid)
	switch {
	case worldSIDs[sid]:
		return ClassWorld
	case trustedSIDs[sid]:
		return ClassTrusted
	case sid == userSID(user) && sid != "":
		return ClassTrusted
	}
	return ClassGroup
}

// userSID cleans a SID that names the user, "" when it names nobody in
// particular.
func userSID(text string) string {
	sid := normalizeSID(trim(text))
	if !IsSID(sid) || worldSIDs[sid] {
		return ""
	}
	return sid
}

// isPlaceholder reports the SIDs that Windows replaces when an object is
// created. In the list of an existing object they match nobody.
func isPlaceholder(sid string) bool { return sid == sidCreatorOwner || sid == sidCreatorGroup }

// isContainerSID reports the SID of one AppContainer, as opposed to those of all.
func isContainerSID(sid string) bool {
	return strings.HasPrefix(normalizeSID(sid), "s-1-15-2-") && IsSID(sid) && !worldSIDs[normalizeSID(sid)]
}
