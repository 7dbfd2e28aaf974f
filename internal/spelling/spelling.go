// Package spelling finds the name that somebody meant.
package spelling

import "strings"

// longest is how long a name may be that is compared with others.
const longest = 64

// Nearest returns the known name that differs from a name in a few letters or
// only in its spelling (case, dashes), or "".
func Nearest(name string, known []string) string {
	if len(name) > longest {
		return ""
	}
	like := plain.Replace(strings.ToLower(name))
	best, at := "", 1+max(1, len(name)/4)
	for _, k := range known {
		if d := distance(like, strings.ToLower(k)); d < at {
			best, at = k, d
		}
	}
	return best
}

var plain = strings.NewReplacer("-", "_", " ", "_")

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
