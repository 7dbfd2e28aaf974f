package policyfile

import "strings"

// later holds keys of the contract that this version does not act on. Ignoring
// one would leave an operator with less protection than the file says.
var later = map[string]bool{
	"trusted_mcp_servers": true,
	"runtimes":            true,
}

func unknownKey(name string, known []key, top bool) string {
	if top && later[name] {
		return "not supported by this version; remove it"
	}
	if near := nearest(name, known); near != "" {
		return "is no key of a policy; did you mean " + near + "?"
	}
	names := make([]string, len(known))
	for i := range known {
		names[i] = known[i].name
	}
	return "is no key of a policy; known here: " + strings.Join(names, ", ")
}

// nearest returns the known key that differs from name in a few letters or
// only in its spelling (case, dashes), or "".
func nearest(name string, known []key) string {
	if len(name) > 64 {
		return ""
	}
	plain := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(name))
	best, at := "", 1+max(1, len(name)/4)
	for _, k := range known {
		if d := distance(plain, k.name); d < at {
			best, at = k.name, d
		}
	}
	return best
}

// distance counts the letters to change, add or drop to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
