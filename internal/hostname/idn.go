package hostname

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// profile is UTS 46 as browsers look names up. Characters and lengths are
// checked by checkLabels afterwards, which allows "_" and "r3---sn".
var profile = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.BidiRule(),
	idna.CheckJoiners(true),
	idna.CheckHyphens(false),
	idna.StrictDomainName(false),
)

// toASCII maps a name to A-labels. The mapping may change case and
// composition and nothing else: where it would turn a full-width letter into
// an ASCII one, an ideographic stop into a dot, or drop a character, two
// programs see two hosts, and the name is refused.
func toASCII(host string) (string, Kind) {
	if len(host) > 4*maxHost {
		return "", KindTooLong
	}
	for _, r := range host {
		switch {
		case r < utf8.RuneSelf:
		case invisible(r):
			return "", KindInvisible
		case hidesASCII(r), !unicode.In(r, unicode.L, unicode.M, unicode.Nd):
			// Symbols and punctuation pose as "/", "." and ":", and are in no
			// name that a registry gives out.
			return "", KindIDN
		}
	}
	ascii, err := profile.ToASCII(host)
	if err != nil {
		return "", KindIDN
	}
	shown, err := profile.ToUnicode(host)
	if err != nil {
		return "", KindIDN
	}
	given, mapped, decoded := strings.Split(host, "."), strings.Split(ascii, "."), strings.Split(shown, ".")
	if len(given) != len(mapped) || len(given) != len(decoded) {
		return "", KindIDN
	}
	for i := range given {
		if !faithful(given[i], mapped[i], decoded[i]) {
			return "", KindIDN
		}
	}
	return ascii, ""
}

// faithful compares one label as given, as an A-label and as decoded.
func faithful(given, mapped, decoded string) bool {
	if isASCII(given) {
		// Punycode of plain ASCII names the same label twice.
		return given == mapped && (!strings.HasPrefix(given, "xn--") || !isASCII(decoded))
	}
	return strings.HasPrefix(mapped, "xn--") && decoded == norm.NFC.String(strings.ToLower(norm.NFC.String(given)))
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// invisible holds for characters that leave no trace on the screen or in the
// mapped name: zero-width, soft hyphen, variation selectors, direction marks.
// Joiners are among them; a name that truly needs one can be given as A-labels.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// hidesASCII holds for a character whose lower case or composed form is plain
// ASCII, such as the Kelvin sign, or that is made of an ASCII character that
// is no letter, such as "≠".
func hidesASCII(r rune) bool {
	if unicode.ToLower(r) < utf8.RuneSelf || isASCII(norm.NFC.String(string(r))) {
		return true
	}
	for _, part := range norm.NFD.String(string(r)) {
		if part < utf8.RuneSelf && !unicode.IsLetter(part) {
			return true
		}
	}
	return false
}
