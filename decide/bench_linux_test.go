package decide

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// BenchmarkWrite compares a scoped write with what resolving costs at the
// least: for the path and for the root, one openat2, one readlink of the
// descriptor and one statx. Of a new file the directory is what can be opened.
func BenchmarkWrite(b *testing.B) {
	root, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	if err := os.MkdirAll(root+"/src/pkg", 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(root+"/src/pkg/a.go", nil, 0o600); err != nil {
		b.Fatal(err)
	}
	p := benchPolicy(b, 1000)
	mode := "bypass-approvals"
	s := benchSession(b, p, ContextSpec{WorkspaceRoot: root, Mode: &mode})
	b.Run("trio", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			trio(b, root+"/src/pkg/a.go")
			trio(b, root)
		}
	})
	write := func(call Call) func(*testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r := NewRecord(p.Decide(s, call)); r.Outcome != Allow {
					b.Fatal(r.Code, r.Reason)
				}
			}
		}
	}
	b.Run("existing", write(Call{Tool: "write_file", Arguments: NewObject(Member{"path", Text("src/pkg/a.go")})}))
	b.Run("new", write(Call{Tool: "write_file", Arguments: NewObject(Member{"path", Text("src/pkg/b.go")})}))
	// In a repository its configuration file is looked at too, for core.hooksPath.
	if err := os.MkdirAll(root+"/.git", 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(root+"/.git/config", []byte("[core]\n\tbare = false\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	s = benchSession(b, p, ContextSpec{WorkspaceRoot: root, Mode: &mode})
	b.Run("repository", write(Call{Tool: "write_file", Arguments: NewObject(Member{"path", Text("src/pkg/a.go")})}))
	for _, n := range []int{1, 50} {
		b.Run(fmt.Sprintf("patch/%d", n), write(Call{Tool: "apply_patch", Arguments: NewObject(Member{"patch", Text(patchOf(n))})}))
	}
}

func patchOf(n int) string {
	var text strings.Builder
	text.WriteString("*** Begin Patch\n")
	for i := range n {
		fmt.Fprintf(&text, "*** Add File: src/pkg/f%d.go\n+package pkg\n", i)
	}
	text.WriteString("*** End Patch")
	return text.String()
}

func trio(b *testing.B, path string) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
	if err != nil {
		b.Fatal(err)
	}
	var buf [4096]byte
	if _, err := unix.Readlink("/proc/self/fd/"+strconv.Itoa(fd), buf[:]); err != nil {
		b.Fatal(err)
	}
	var st unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_BASIC_STATS, &st); err != nil {
		b.Fatal(err)
	}
	unix.Close(fd)
}
