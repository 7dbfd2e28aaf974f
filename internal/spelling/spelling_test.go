package spelling

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"context", "call", "session_id", "PDP_STATE_DIR"}
	for _, row := range []struct{ name, want string }{
		{"contxt", "context"},
		{"Context", "context"},
		{"session-id", "session_id"},
		{"SessionId", "session_id"},
		{"cal", "call"},
		{"PDP_STATEDIR", "PDP_STATE_DIR"},
		{"arguments", ""},
		{"", ""},
		{strings.Repeat("context", 20), ""},
	} {
		if got := Nearest(row.name, known); got != row.want {
			t.Errorf("%q: %q, want %q", row.name, got, row.want)
		}
	}
}
