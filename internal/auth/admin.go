package auth

import (
	"fmt"
)

// leastAdminToken is how long a token must be that a person chose.
const leastAdminToken = 20

func checkAdminToken(text string) error {
	switch {
	case len(text) < leastAdminToken:
		return fmt.Errorf("the admin token has %d characters; at least %d are needed", len(text), leastAdminToken)
	case len(text) > mostToken:
		return fmt.Errorf("the admin token has more than %d characters", mostToken)
	case !isVisible(text):
		return fmt.Errorf("the admin token has a space or a character other than printable ASCII: no header could carry it")
	case distinct(text) < 6:
		return fmt.Errorf("the admin token repeats a few characters only; take one from pdp token create or openssl rand -hex 32")
	}
	return nil
}

func distinct(text string) int {
	var seen [128]bool
	n := 0
	for i := range len(text) {
		if c := text[i] & 127; !seen[c] {
			seen[c] = true
			n++
		}
	}
	return n
}
