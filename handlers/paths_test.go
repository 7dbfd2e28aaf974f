package handlers

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

func TestCheckPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Dir(dir)
	if err := os.WriteFile(dir+"/here.txt", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, dir+"/out"); err != nil {
		t.Fatal(err)
	}
	s := trustingService(t, func(d *Deps) { d.InspectRoots = nil })
	for _, row := range []struct {
		path, access   string
		outcome, code  string
		resolved, root string
		inspected      bool
	}{
		{"here.txt", "read", "allow", "low_risk", dir + "/here.txt", dir, true},
		{"here.txt", "write", "ask", "approval_required", dir + "/here.txt", dir, true},
		{"out/x.txt", "write", "deny", "outside_writable_roots", outside + "/x.txt", "", false},
		{"/etc/passwd", "write", "deny", "outside_writable_roots", "/etc/passwd", "", false},
		{"a\\u0000b", "write", "deny", "invalid_path", "", "", false},
	} {
		a := ask(t, s, "POST", "/v1/paths/check", fmt.Sprintf(`{"context":{"workspace_root":%q},"path":"%s","access":%q}`, dir, row.path, row.access))
		want(t, a, http.StatusOK, row.code)
		if a.fields["outcome"] != row.outcome || a.fields["resolved"] != row.resolved || a.fields["root"] != row.root {
			t.Errorf("%s %s: got %s", row.access, row.path, a.text)
		}
		if a.fields["writable"] != (row.root != "") || (a.fields["inspection"] != nil) != row.inspected {
			t.Errorf("%s %s: got %s", row.access, row.path, a.text)
		}
	}
}

func TestCheckPathRefuses(t *testing.T) {
	s := trustingService(t, nil)
	for _, row := range []struct{ body, pointer string }{
		{`{"context":{"workspace_root":"/a"},"path":"x","access":"execute"}`, "/access"},
		{`{"context":{"workspace_root":"/a"},"path":"x"}`, "/access"},
		{`{"context":{"workspace_root":"/a"},"path":"","access":"read"}`, "/path"},
		{`{"path":"x","access":"read"}`, "/context"},
	} {
		a := ask(t, s, "POST", "/v1/paths/check", row.body)
		if want(t, a, http.StatusBadRequest, "validation_failed"); a.field("errors.0.pointer") != row.pointer {
			t.Errorf("%s: got %s", row.body, a.text)
		}
	}
}

func TestInspectPath(t *testing.T) {
	file := t.TempDir() + "/secret"
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	s := trustingService(t, nil)
	a := ask(t, s, "POST", "/v1/paths/inspect", fmt.Sprintf(`{"path":%q}`, file))
	if a.status != 200 || a.fields["ok"] != true || a.fields["bits"] != float64(0o644) || a.fields["world_readable"] != true || a.fields["remediation"] == nil {
		t.Errorf("got %d %s", a.status, a.text)
	}
	a = ask(t, s, "POST", "/v1/paths/inspect", fmt.Sprintf(`{"path":%q,"required_mode":"0644"}`, file))
	if remedy, there := a.fields["remediation"]; remedy != nil || !there {
		t.Errorf("got %s", a.text)
	}
	for _, path := range []string{file + ".missing", file + "/below", "/a\\u0000b"} {
		a = ask(t, s, "POST", "/v1/paths/inspect", `{"path":"`+path+`"}`)
		if a.status != 200 || a.fields["ok"] != false || a.fields["error"] == "" || a.fields["bits"] != nil {
			t.Errorf("%s: got %d %s", path, a.status, a.text)
		}
	}
}

func TestInspectPathRefuses(t *testing.T) {
	s := trustingService(t, nil)
	for _, row := range []struct{ body, code, pointer string }{
		{`{"path":"relative"}`, "validation_failed", "/path"},
		{`{"path":"~/x"}`, "validation_failed", "/path"},
		{`{"path":""}`, "validation_failed", "/path"},
		{`{"path":"/x","required_mode":600}`, "validation_failed", "/required_mode"}, // decimal
		{`{"path":"/x","required_mode":"-1"}`, "validation_failed", "/required_mode"},
		{`{"path":"/x","required_mode":"rw"}`, "validation_failed", "/required_mode"},
		{`{"path":"/x","required_mode":"0888"}`, "validation_failed", "/required_mode"},
		{`{"path":"/x","required_mode":"10000"}`, "validation_failed", "/required_mode"},
		{`{"path":"/x","required_mode":"0000"}`, "validation_failed", "/required_mode"},
		{`{"path":"/x","required_mode":600}`, "validation_failed", "/required_mode"},
		{`{"path":"/x","mode":"0600"}`, "unknown_field", "/mode"},
		{`{"path":"/x","context":{"workspace_root":"x"}}`, "validation_failed", "/context/workspace_root"},
	} {
		a := ask(t, s, "POST", "/v1/paths/inspect", row.body)
		if want(t, a, http.StatusBadRequest, row.code); a.field("errors.0.pointer") != row.pointer {
			t.Errorf("%s: got %s", row.body, a.text)
		}
	}
}

// A caller must not learn about files beyond the directories that are open to
// it, whether by a link, by "..", or by whether they exist.
func TestInspectPathStaysWithinRoots(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	open, closed := base+"/open", base+"/closed"
	for _, err := range []error{
		os.MkdirAll(open+"/sub", 0o700), os.MkdirAll(closed, 0o700),
		os.WriteFile(closed+"/key", nil, 0o600), os.WriteFile(open+"/file", nil, 0o600),
		os.Symlink(closed+"/key", open+"/link"), os.Symlink(closed, open+"/dir"),
		os.Symlink(open+"/file", closed+"/in"), os.Symlink("loop", open+"/loop"),
		os.Symlink(open, base+"/alias"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		path  string
		shown bool
	}{
		{open, true},
		{open + "/", true},
		{open + "/file", true},
		{open + "/missing", true},
		{open + "/sub/../file", true},
		{base + "/alias/file", true},
		{open + "-not", false},
		{closed, false},
		{closed + "/key", false},
		{closed + "/missing", false},
		{open + "/link", false},
		{open + "/dir/key", false},
		{open + "/../closed/key", false},
		{closed + "/in", false},
		{open + "/loop", false},
		{"/", false},
	} {
		for _, roots := range [][]string{{open}, {"/nowhere", base + "/alias"}} {
			s := trustingService(t, func(d *Deps) { d.InspectRoots = func() []string { return roots } })
			a := ask(t, s, "POST", "/v1/paths/inspect", fmt.Sprintf(`{"path":%q}`, row.path))
			if (a.status == 200) != row.shown || a.status != 200 && a.field("code") != "forbidden" {
				t.Errorf("%s below %v: got %d %s", row.path, roots, a.status, a.text)
			}
		}
	}
	s := trustingService(t, func(d *Deps) { d.InspectRoots = nil })
	for path, status := range map[string]int{open + "/file": 200, closed + "/key": 403, open + "/link": 403} {
		a := ask(t, s, "POST", "/v1/paths/inspect", fmt.Sprintf(`{"path":%q,"context":{"workspace_root":%q}}`, path, open))
		if a.status != status {
			t.Errorf("%s by the context's root: got %d %s", path, a.status, a.text)
		}
	}
	a := ask(t, s, "POST", "/v1/paths/inspect", fmt.Sprintf(`{"path":%q}`, open))
	want(t, a, http.StatusForbidden, "forbidden")
}

// A directory of the root directory may be a root, too, and is itself shown.
func TestInspectRootBesideTheTop(t *testing.T) {
	top := t.TempDir()
	for filepath.Dir(top) != "/" {
		top = filepath.Dir(top)
	}
	look := inspector{roots: func() []string { return []string{top} }}
	for path, shown := range map[string]bool{top: true, top + "/": true, "/": false, "/etc/passwd": top == "/etc", top + "/..": false, top + "x": false} {
		if look.shows(path) != shown {
			t.Errorf("below %s: %s shown: %t", top, path, !shown)
		}
	}
}
