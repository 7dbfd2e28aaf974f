package inspect

import (
	"regexp"
	"strings"
)

// Entry is one grant of an access list.
type Entry struct {
	Principal string   `json:"principal"` // as printed, or the SID
	SID       string   `json:"sid,omitempty"`
	Rights    []string `json:"rights"`
	RawRights string   `json:"raw_rights"`
	CanRead   bool     `json:"can_read"`
	CanWrite  bool     `json:"can_write"`
}

// Icacls is what the output of icacls says about one object. Only Entries are
// grants on the object itself.
type Icacls struct {
	Entries []Entry `json:"entries"`
	// InheritOnly entries apply to what will be created inside, Denied ones take
	// rights away, Labels are integrity levels.
	InheritOnly []Entry `json:"inherit_only,omitempty"`
	Denied      []Entry `json:"denied,omitempty"`
	Labels      []Entry `json:"labels,omitempty"`
	// Ignored are lines that were not understood, such as translated status lines.
	Ignored []string `json:"ignored,omitempty"`
	// Error says why the output must not be taken for the access list of the
	// target: no line of it was an entry, which is not the same as an empty list,
	// or it speaks of another path.
	Error string `json:"error,omitempty"`
}

const (
	noACELines = "no access list entry was found in the output: unverified"
	tooLong    = "the output is longer than 1 MiB: unverified"
	otherPath  = "the output names another path than the target: unverified"
)

// maxIcaclsBytes is far beyond what a list of 64 KiB, the largest there is, can
// print.
const maxIcaclsBytes = 1 << 20

var statusPrefixes = []string{"successfully processed", "processed", "failed processing", "no mapping between account names"}

var (
	pathStart   = regexp.MustCompile(`^"?([A-Za-z]:[\\/]|\\\\)`)
	continuedBy = regexp.MustCompile(`^(\([^()]*\)\s*)+$`)
)

// ParseIcacls reads what icacls printed for target. Text in front of the first
// entry that equals target, in any case and with or without double quotes, is
// dropped. An entry that icacls wrapped over two lines is put together again.
func ParseIcacls(output, target string) Icacls {
	out := Icacls{Entries: []Entry{}}
	if len(output) > maxIcaclsBytes {
		out.Error = tooLong
		return out
	}
	prefixes := targetPrefixes(target)
	for _, line := range icaclsLines(output) {
		out.add(withoutTarget(line, prefixes))
	}
	if len(out.Entries)+len(out.InheritOnly)+len(out.Denied)+len(out.Labels) == 0 {
		out.Error = noACELines
	}
	for _, e := range out.Entries {
		if pathStart.MatchString(e.Principal) {
			out.Error = otherPath
		}
	}
	return out
}

// icaclsLines splits the output into trimmed lines without status lines, each
// with the rights that were wrapped to the lines after it.
func icaclsLines(output string) []string {
	var lines []string
	var wrapped []string // parts of the entry that may go on
	flush := func() {
		if line := strings.Join(wrapped, ""); line != "" && !isStatus(line) {
			lines = append(lines, line)
		}
	}
	for line := range strings.FieldsFuncSeq(output, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = trim(line)
		switch {
		case line == "":
		case len(wrapped) > 0 && line[0] == '(' && continuedBy.MatchString(line):
			wrapped = append(wrapped, line)
		default:
			flush()
			wrapped = []string{line}
		}
	}
	flush()
	return lines
}

func isStatus(line string) bool {
	line = lower(headUnits(line, 64)) // longer than every prefix
	for _, prefix := range statusPrefixes {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

// targetPrefix is the target as icacls prints it in front of the first entry.
type targetPrefix struct {
	lower string
	units int
}

func targetPrefixes(target string) []targetPrefix {
	if target = trim(target); target == "" {
		return nil
	}
	quoted := `"` + target + `"`
	return []targetPrefix{{lower(target), units(target)}, {lower(quoted), units(quoted)}}
}

func withoutTarget(line string, prefixes []targetPrefix) string {
	folded := lower(line)
	for _, p := range prefixes {
		if strings.HasPrefix(folded, p.lower) {
			return trim(dropUnits(line, p.units))
		}
	}
	return line
}

// add files one logical line under what it is.
func (out *Icacls) add(line string) {
	principal, raw, ok := cutRights(line)
	if !ok {
		out.Ignored = append(out.Ignored, Bound(line))
		return
	}
	tokens := rightTokens(raw)
	e := Entry{Principal: principal, RawRights: raw}
	if IsSID(normalizeSID(e.Principal)) {
		e.SID = normalizeSID(e.Principal)
	}
	denied, inheritOnly := false, false
	for _, token := range tokens {
		upper := strings.ToUpper(token)
		denied = denied || upper == "DENY"
		inheritOnly = inheritOnly || upper == "IO"
		if !inheritanceFlags[upper] && upper != "DENY" {
			e.Rights = append(e.Rights, token)
		}
	}
	e.CanRead, e.CanWrite = accessOf(e.Rights)
	switch {
	case len(splitRights(e.Rights)) == 0:
		out.Ignored = append(out.Ignored, Bound(line))
	case denied:
		out.Denied = append(out.Denied, e.withoutAccess())
	case isLabel(e.Rights):
		out.Labels = append(out.Labels, e.withoutAccess())
	case inheritOnly:
		out.InheritOnly = append(out.InheritOnly, e)
	default:
		out.Entries = append(out.Entries, e)
	}
}

// cutRights splits a line at the first colon that stands before a parenthesis.
// Account names hold parentheses, but no colons.
func cutRights(line string) (principal, rights string, ok bool) {
	for at := range len(line) {
		if line[at] != ':' {
			continue
		}
		if rest := trim(line[at+1:]); strings.HasPrefix(rest, "(") {
			return trim(line[:at]), rest, true
		}
	}
	return "", "", false
}

func (e Entry) withoutAccess() Entry {
	e.CanRead, e.CanWrite = false, false
	return e
}

var inheritanceFlags = map[string]bool{"I": true, "OI": true, "CI": true, "IO": true, "NP": true}

// rightTokens returns the contents of each innermost parenthesis that is not
// blank.
func rightTokens(raw string) []string {
	var tokens []string
	start := -1
	for i := range len(raw) {
		switch {
		case raw[i] == '(':
			start = i + 1
		case raw[i] == ')' && start >= 0:
			if token := trim(raw[start:i]); token != "" {
				tokens = append(tokens, token)
			}
			start = -1
		}
	}
	return tokens
}

var labelRights = map[string]bool{"NW": true, "NR": true, "NX": true}

// isLabel recognises an integrity level by its policies: its name is translated.
func isLabel(rights []string) bool {
	for _, right := range splitRights(rights) {
		if !labelRights[right] {
			return false
		}
	}
	return true
}

// accessOf reads the rights of icacls, simple ones and lists of specific ones.
// A right that is not known could be anything.
func accessOf(rights []string) (canRead, canWrite bool) {
	for _, right := range splitRights(rights) {
		access, ok := icaclsRights[right]
		if !ok {
			access = readAccess | writeAccess
		}
		canRead = canRead || access&readAccess != 0
		canWrite = canWrite || access&writeAccess != 0
	}
	return canRead, canWrite
}

func splitRights(rights []string) []string {
	var single []string
	for _, group := range rights {
		for right := range strings.SplitSeq(group, ",") {
			if right = strings.ToUpper(trim(right)); right != "" {
				single = append(single, right)
			}
		}
	}
	return single
}

type access int

const (
	noAccess   access = 0
	readAccess access = 1 << iota
	writeAccess
)

// icaclsRights is what each right means for the content, the list or the life
// of the object. Generic and standard rights match the table of masks.
var icaclsRights = map[string]access{
	"N": noAccess, "X": noAccess, "S": noAccess, "GE": noAccess, "AS": noAccess, "ID": noAccess,
	"F": readAccess | writeAccess, "M": readAccess | writeAccess,
	"GA": readAccess | writeAccess, "MA": readAccess | writeAccess,
	"RX": readAccess, "R": readAccess, "GR": readAccess, "RC": readAccess,
	"RD": readAccess, "REA": readAccess, "RA": readAccess,
	"W": writeAccess, "D": writeAccess, "GW": writeAccess, "DE": writeAccess,
	"WDAC": writeAccess, "WO": writeAccess, "WD": writeAccess, "AD": writeAccess,
	"WEA": writeAccess, "DC": writeAccess, "WA": writeAccess,
}
