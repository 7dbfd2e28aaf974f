package inspect

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestReadSecureFile(t *testing.T) {
	dir := privateDir(t)
	write := func(name string, mode uint32) string {
		path := dir + "/" + name
		must(t, os.WriteFile(path, []byte("secret"), 0o600))
		must(t, unix.Chmod(path, mode))
		return path
	}
	good := write("good", 0o600)
	must(t, os.Symlink(good, dir+"/link"))
	must(t, unix.Mkfifo(dir+"/fifo", 0o600))
	listed := write("listed", 0o600)
	setACL(t, listed, xattrAccess, base(6, 0, 4, 0, user(34, 4)))
	for _, row := range []struct {
		name, path string
		opts       SecureOptions
		want       Code
	}{
		{"a private file", good, SecureOptions{}, ""},
		{"exactly as long as allowed", good, SecureOptions{MaxBytes: 6}, ""},
		{"one byte too long", good, SecureOptions{MaxBytes: 5}, CodeTooLarge},
		{"readable by its owner only", write("strict", 0o400), SecureOptions{}, ""},
		{"readable by its group", write("group", 0o640), SecureOptions{}, CodeInsecure},
		{"readable by its group, as admitted", write("group2", 0o640), SecureOptions{AllowGroupRead: true}, ""},
		{"writable by its group", write("group3", 0o660), SecureOptions{AllowGroupRead: true}, CodeInsecure},
		{"readable by all", write("world", 0o604), SecureOptions{AllowGroupRead: true}, CodeInsecure},
		{"readable by whom a list names", listed, SecureOptions{}, CodeInsecure},
		{"a link to a private file", dir + "/link", SecureOptions{}, CodeSymlink},
		{"a FIFO without a writer", dir + "/fifo", SecureOptions{}, CodeNotFile},
		{"a directory", dir, SecureOptions{}, CodeNotFile},
		{"a device without an end", "/dev/zero", SecureOptions{}, CodeNotFile},
		{"a missing file", dir + "/missing", SecureOptions{}, CodeNotFound},
		{"a relative path", "good", SecureOptions{}, CodeInvalidPath},
		{"a NUL", dir + "/good\x00", SecureOptions{}, CodeInvalidPath},
		{"nothing", "", SecureOptions{}, CodeInvalidPath},
		{"a file of the kernel that tells no size", "/proc/self/limits", SecureOptions{}, CodeInsecure},
	} {
		content, err := ReadSecureFile(row.path, row.opts)
		var failed *Error
		errors.As(err, &failed)
		switch {
		case row.want == "" && (err != nil || string(content) != "secret"):
			t.Errorf("%s: %q, %v", row.name, content, err)
		case row.want != "" && (failed == nil || failed.Code != row.want || content != nil):
			t.Errorf("%s: %q, %v, want %s", row.name, content, err, row.want)
		case failed != nil && strings.ContainsFunc(failed.Message, isHidden):
			t.Errorf("%s: %q", row.name, failed.Message)
		}
	}
}

func TestReadSecureFileOfOthers(t *testing.T) {
	needRoot(t)
	path := makeObject(t, KindFile, 0o600)
	must(t, os.Chown(path, someone, someone))
	if _, err := ReadSecureFile(path, SecureOptions{}); err == nil {
		t.Error("the file of somebody else is read")
	}
	if _, err := ReadSecureFile(path, SecureOptions{TrustedUIDs: []uint32{someone}}); err != nil {
		t.Error(err)
	}
}

func TestSecureFacts(t *testing.T) {
	user := "S-1-5-21-1-2-3-1001"
	list := func(aces ...ACE) SecurityFacts {
		return SecurityFacts{OwnerSID: user, CurrentUserSID: user, DACLPresent: true, Complete: true, ACEs: aces}
	}
	incomplete, remote := list(), list()
	incomplete.Complete, remote.Remote = false, true
	for _, row := range []struct {
		name  string
		facts SecurityFacts
		opts  SecureOptions
		want  Code
	}{
		{"private", list(ACE{SID: user, Mask: fullControl}), SecureOptions{}, ""},
		{"nobody", list(), SecureOptions{}, ""},
		{"users may read", list(ACE{SID: "S-1-5-32-545", Mask: 1}), SecureOptions{AllowGroupRead: true}, CodeInsecure},
		{"a group may read", list(ACE{SID: "S-1-5-21-9-9-9-513", Mask: 1}), SecureOptions{}, CodeInsecure},
		{"a group may read, as admitted", list(ACE{SID: "S-1-5-21-9-9-9-513", Mask: 1}), SecureOptions{AllowGroupRead: true}, ""},
		{"a group may write", list(ACE{SID: "S-1-5-21-9-9-9-513", Mask: 2}), SecureOptions{AllowGroupRead: true}, CodeInsecure},
		{"no list", SecurityFacts{OwnerSID: user, CurrentUserSID: user, Complete: true}, SecureOptions{}, CodeInsecure},
		{"not understood", incomplete, SecureOptions{}, CodeUnverified},
		{"remote", remote, SecureOptions{}, CodeInsecure},
		{"nothing known", SecurityFacts{}, SecureOptions{}, CodeUnverified},
	} {
		err := checkSecureFacts(row.facts, &row.opts)
		if row.want == "" && err != nil || row.want != "" && (err == nil || errorOf(err).Code != row.want) {
			t.Errorf("%s: %v, want %s", row.name, err, row.want)
		}
	}
}
