package programs

import (
	"strings"
	"testing"
)

func TestEntriesThatVouchForLessThanTheySeemTo(t *testing.T) {
	for _, row := range []struct{ entry, strict, precise string }{
		// What decides is not named.
		{"bash", "behind bash decide what runs; add them, up to the name of the script", "behind bash"},
		{"/bin/sh", "behind /bin/sh", "behind /bin/sh"},
		{"python3.11", "behind python3.11", "behind python3.11"},
		{"node -e", "behind node", "behind node"},
		{"python3 -m", "behind python3", "behind python3"},
		{"sudo", "up to the name of the program", "behind sudo"},
		{"sudo -u bob", "behind sudo", "behind sudo"},
		{"sudo bash", "behind sudo", "behind sudo"},
		{"timeout 5 nice bash", "behind timeout", "behind timeout"},
		{"env", "behind env", "behind env"},
		{"env FOO=1", "behind env", "behind env"},
		{"xargs", "behind xargs", "behind xargs"},
		{"xargs -n 1", "behind xargs", "behind xargs"},
		{"timeout 5", "behind timeout", "behind timeout"},
		{"npx", "behind npx", "behind npx"},
		{"docker", "behind docker", "behind docker"},

		// What strict matching does not look behind.
		{"docker ps", "in strict matching", ""},
		{"npx prettier", "in strict matching", ""},
		{"timeout 5 ls", "in strict matching", ""},
		{"find . -delete", "in strict matching", ""},

		// What does what it seems to.
		{"ls", "", ""},
		{"git", "", ""},
		{"git status", "", ""},
		{"cargo", "", ""},
		{"sed -n", "", ""},
		{"awk -F:", "", ""},
		{"acme deploy", "", ""},
		{"bash tools/check", "", ""},
		{"python3 -m pytest", "", ""},
		{"python3 --version", "", ""},
		{"node -v tools/x.js", "", ""},
		{"command -v", "", ""},
		{"time make", "", ""},
	} {
		words := strings.Fields(row.entry)
		for m, want := range map[Matching]string{Strict: row.strict, Precise: row.precise} {
			got := Builtin().Idle(words, m)
			if !strings.Contains(got, want) || want == "" && got != "" {
				t.Errorf("%s (%d): %q, want %q", row.entry, m, got, want)
			}
		}
	}
	if got := (*Table)(nil).Idle([]string{"ls"}, Precise); got == "" {
		t.Error("an empty table vouches for nothing")
	}
}
