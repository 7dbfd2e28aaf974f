package decide

import (
	"strings"
	"testing"
)

// Each kind of path or URL without a safe reading has its name in the trace.
func TestSubCodes(t *testing.T) {
	base := tree(t, map[string]string{"ws/loop": "-> loop2", "ws/loop2": "-> loop", "ws/self": "-> /proc/self"})
	policy, err := Compile(PolicySpec{InlineContext: "trust", Home: base})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 256)
	for _, row := range []struct{ os, tool, argument, text, want string }{
		{"linux", "write_file", "path", "a\x00b", "deny invalid_path nul"},
		{"linux", "write_file", "path", "a\x1bb", "deny invalid_path control"},
		{"linux", "write_file", "path", "a\u0085b", "deny invalid_path control"},
		{"linux", "write_file", "path", "a\xffb", "deny invalid_path invalid_utf8"},
		{"linux", "write_file", "path", long, "deny invalid_path too_long"},
		{"linux", "write_file", "path", strings.Repeat("x/", 2100), "deny invalid_path too_long"},
		{"linux", "write_file", "path", `C:\work\x`, "deny invalid_path foreign_os"},
		{"linux", "write_file", "path", "C:/files/x", "deny invalid_path foreign_os"},
		{"linux", "write_file", "path", `..\x`, "deny invalid_path foreign_os"},
		{"linux", "write_file", "path", `\\server\share\x`, "deny invalid_path foreign_os"},
		{"linux", "write_file", "path", "file:///etc/x", "deny invalid_path uri"},
		{"linux", "write_file", "path", "/proc/self/cwd/x", "deny invalid_path process_relative"},
		{"linux", "write_file", "path", "/proc/1/root/x", "deny invalid_path process_relative"},
		{"linux", "write_file", "path", "/proc/thread-self/x", "deny invalid_path process_relative"},
		{"linux", "write_file", "path", "/dev/fd/3", "deny invalid_path process_relative"},
		{"linux", "write_file", "path", "/dev/stdin", "deny invalid_path process_relative"},
		{"linux", "write_file", "path", "/x/../proc/self/cwd/x", "deny invalid_path process_relative"},
		{"linux", "write_file", "path", "self/cwd/x", "deny invalid_path process_relative"},
		{"linux", "write_file", "path", "~nosuchuser/x", "deny invalid_path unknown_user"},
		{"linux", "write_file", "path", "loop/x", "deny invalid_path loop"},
		{"linux", "apply_patch", "patch", "*** Begin Patch\n*** Add File: a\n+x\n*** Add File: /dev/fd/1\n+x\n*** End Patch", "deny invalid_path process_relative"},
		{"linux", "move_file", "source", `..\x`, "deny invalid_path foreign_os"},

		{"windows", "write_file", "path", `\\server\share\x`, "deny invalid_path unc"},
		{"windows", "write_file", "path", "//server/share/x", "deny invalid_path unc"},
		{"windows", "write_file", "path", `\/server/share`, "deny invalid_path unc"},
		{"windows", "write_file", "path", `\\?\UNC\server\share`, "deny invalid_path unc"},
		{"windows", "write_file", "path", `\\?\C:\x`, "deny invalid_path nt_namespace"},
		{"windows", "write_file", "path", `\\.\PhysicalDrive0`, "deny invalid_path nt_namespace"},
		{"windows", "write_file", "path", `\??\C:\x`, "deny invalid_path nt_namespace"},
		{"windows", "write_file", "path", "ab:stream", "deny invalid_path stream"},
		{"windows", "write_file", "path", `.git::$INDEX_ALLOCATION\hooks\x`, "deny invalid_path stream"},
		{"windows", "write_file", "path", "C:x", "deny invalid_path drive_relative"},
		{"windows", "write_file", "path", `sub\nul .txt`, "deny invalid_path device_name"},
		{"windows", "write_file", "path", "COM1", "deny invalid_path device_name"},
		{"windows", "write_file", "path", "a?b", "deny invalid_path forbidden_character"},
		{"windows", "write_file", "path", ".gitlab-ci.yml. ", "deny invalid_path trailing_dot_or_blank"},
		{"windows", "write_file", "path", `.git.\hooks\x`, "deny invalid_path trailing_dot_or_blank"},
		{"windows", "write_file", "path", "GITLAB~1.YML", "deny invalid_path short_name"},
		{"windows", "write_file", "path", `~dev\x`, "deny invalid_path unknown_user"},

		{"linux", "web_fetch", "url", "https://a@b.example/", "ask approval_required userinfo"},
		{"linux", "web_fetch", "url", `https://a.example\@b.example/`, "ask approval_required backslash"},
		{"linux", "web_fetch", "url", "https://a\t.example/", "ask approval_required control"},
		{"linux", "web_fetch", "url", "https://a.example/x y", "ask approval_required blank"},
		{"linux", "web_fetch", "url", "ftp://a.example/", "ask approval_required scheme"},
		{"linux", "web_fetch", "url", "https:///a.example/", "ask approval_required no_host"},
		{"linux", "web_fetch", "url", "https://a..example/", "ask approval_required empty_label"},
		{"linux", "web_fetch", "url", "https://%61.example/", "ask approval_required percent_encoded"},
		{"linux", "web_fetch", "url", "https://a\u200b.example/", "ask approval_required invisible"},
		{"linux", "web_fetch", "url", "https://a。example/", "ask approval_required idn"},
		{"linux", "web_fetch", "url", "http://0x7f.1/", "ask approval_required ip_form"},
		{"linux", "web_fetch", "url", "http://[::1", "ask approval_required ipv6"},
		{"linux", "web_fetch", "url", "http://a.example:0/", "ask approval_required port"},
		{"linux", "web_fetch", "url", "http://169.254.169.254/", "deny private_network metadata"},
		{"linux", "web_fetch", "url", "http://[fe80::1]/", "ask private_network link_local"},
		{"linux", "web_fetch", "url", "http://10.0.0.1/", "ask private_network private"},
		{"linux", "web_fetch", "url", "http://[::1]/", "ask private_network loopback"},
		{"linux", "web_fetch", "url", "http://0.0.0.0/", "ask private_network unspecified"},
		{"linux", "web_fetch", "url", "FILE:////server/share", "deny invalid_path unc"},
		{"linux", "web_fetch", "url", `file:\\server\share`, "deny invalid_path unc"},
		{"linux", "web_fetch", "url", "file://server/share", "deny invalid_path unc"},
		{"linux", "web_fetch", "url", "file:///etc/passwd", "ask approval_required scheme"},
	} {
		mode, spec := "bypass-approvals", ContextSpec{WorkspaceRoot: base + "/ws", OS: row.os}
		if row.os == "windows" {
			spec.WorkspaceRoot, spec.Home = `C:\work\app`, `C:\Users\me`
		}
		spec.Mode = &mode
		session, err := policy.Session(spec)
		if err != nil {
			t.Fatal(err)
		}
		d := policy.Explain(session, Call{Tool: row.tool, Arguments: NewObject(Member{row.argument, Text(row.text)})})
		got := d.Outcome.String() + " " + string(d.Code)
		for _, s := range d.Trace {
			if s.SubCode != "" {
				got += " " + s.SubCode
			}
		}
		if got != row.want {
			t.Errorf("%s %s %q: got %s (%s), want %s", row.os, row.tool, row.text, got, d.Reason, row.want)
		}
	}
}
