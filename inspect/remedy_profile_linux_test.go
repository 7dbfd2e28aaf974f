package inspect

import (
	"os"
	"path/filepath"
	"testing"
)

// A profile about another kind of object, or about keys where programs lie, is no
// reason to change a mode.
func TestNoCommandForOtherKinds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		path    string
		profile Profile
	}{
		{file, "private-dir"},
		{"/etc/passwd", "private-dir"},
		{"/usr/bin/env", "ssh-private-key"},
	} {
		r := Path(row.path, Options{Profile: row.profile})
		if r.Remediation != nil {
			t.Errorf("%s, %s: %s", row.path, row.profile, r.Remediation.Command)
		}
	}
	if r := Path(file, Options{Profile: "ssh-private-key"}); r.Remediation == nil {
		t.Error("no command for a key that others may read")
	}
}
