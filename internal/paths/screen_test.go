package paths

import (
	"errors"
	"strings"
	"testing"
)

// kindIn is the kind of an InvalidError, "" for none.
func kindIn(t *testing.T, err error) Kind {
	t.Helper()
	var invalid *InvalidError
	if err != nil && !errors.As(err, &invalid) {
		t.Fatalf("the error %v is no *InvalidError", err)
	}
	if invalid == nil {
		return ""
	}
	return invalid.Kind
}

func TestScreenPOSIX(t *testing.T) {
	for _, row := range []struct {
		raw  string
		want Kind
	}{
		{"", ""},
		{"a", ""},
		{" a ", ""},
		{"..data/tok", ""},
		{"a..b", ""},
		{"../../etc/passwd", ""},
		{"//x", ""},
		{"café/日本語", ""},
		{"a\\b", ""},
		{"a:b", ""},
		{"C:", ""},
		{"C:foo", ""},
		{"CON", ""},
		{"PROGRA~1", ""},
		{"name.", ""},
		{"dir\\sub\\file", ""},
		{"dir\\..data", ""},

		{"a\x00b", Nul},
		{"\x00", Nul},
		{"a\nb", Control},
		{"a\tb", Control},
		{"a\r", Control},
		{"\x1b[2J", Control},
		{"a\x7f", Control},
		{"a\u0085b", Control},
		{"\u009b31m", Control},
		{"a\xffb", InvalidUTF8},
		{"\xc0\xaf", InvalidUTF8},
		{"\xed\xa0\x80", InvalidUTF8},
		{"a\xe2\x80", InvalidUTF8},

		{strings.Repeat("a", 255), ""},
		{strings.Repeat("a", 256), TooLong},
		{strings.Repeat("a", 256) + "/x", TooLong},
		{strings.Repeat("a/", 2048), ""},
		{strings.Repeat("a/", 2048) + "a", TooLong},

		{`C:\proj\app\a.txt`, ForeignOS},
		{`c:\x`, ForeignOS},
		{`C:/proj/app`, ForeignOS},
		{`/proj/C:\x`, ForeignOS},
		{`\\server\share`, ForeignOS},
		{`\\?\C:\x`, ForeignOS},
		{`\\.\pipe\x`, ForeignOS},
		{`\??\C:\x`, ForeignOS},
		{`\Windows\x`, ForeignOS},
		{`..\..\x`, ForeignOS},
		{`..\x`, ForeignOS},
		{`a\..\..\x`, ForeignOS},
		{`sub/..\x`, ForeignOS},
		{`sub/a\..`, ForeignOS},
		{"file:///etc/passwd", URI},
		{"FILE:/etc/passwd", URI},
		{"file:x", ""},

		{"/proc/self/cwd/x", ProcessRelative},
		{"/proc/self", ProcessRelative},
		{"/proc//self/fd/3", ProcessRelative},
		{"/proc/./self/exe", ProcessRelative},
		{"//proc/self/root", ProcessRelative},
		{"/x/../proc/self/root", ProcessRelative},
		{"/proc/thread-self/cwd", ProcessRelative},
		{"/proc/1/root/etc", ProcessRelative},
		{"/proc/4242/cwd", ProcessRelative},
		{"/proc/4242", ProcessRelative},
		{"/proc/mounts", ProcessRelative},
		{"/proc/net/tcp", ProcessRelative},
		{"/dev/fd/3", ProcessRelative},
		{"/dev/stdin", ProcessRelative},
		{"/dev/./stdout", ProcessRelative},
		{"/dev/stderr", ProcessRelative},
		{"/dev/null", ""},
		{"/proc/cpuinfo", ""},
		{"/proc/sys/kernel", ""},
		{"/process/self", ""},
		{"/home/proc/self/x", ""},
		{"proc/self/x", ""},
		{"/proc/selfish", ""},
	} {
		for _, os := range []OS{POSIX, Darwin} {
			if got := kindIn(t, Screen(row.raw, os)); got != row.want {
				t.Errorf("Screen(%q, %v) is %q, want %q", row.raw, os, got, row.want)
			}
		}
	}
}

func TestScreenWindows(t *testing.T) {
	for _, row := range []struct {
		raw  string
		want Kind
	}{
		{"", ""},
		{`C:\proj\app\a.txt`, ""},
		{`c:/proj/app`, ""},
		{`C:\`, ""},
		{`a\b/c`, ""},
		{`..\..\x`, ""},
		{`.`, ""},
		{`\x`, ""},
		{`.gitignore`, ""},
		{`con-fig.txt`, ""},
		{`COM10`, ""},
		{`comrade`, ""},
		{`nulls`, ""},
		{`file~`, ""},
		{`file~a`, ""},
		{`long-file-name~2.txt`, ""},
		{`~`, ""},
		{`~\x`, ""},
		{strings.Repeat("語", 200), ""},
		{strings.Repeat("a", 256), TooLong},

		{"a\x00b", Nul},
		{"a\nb", Control},

		{`\\server\share\x`, UNC},
		{`//files.evil.test/share/x`, UNC},
		{`\/server/share`, UNC},
		{`/\server`, UNC},
		{`\\localhost\C$\proj\app\a.txt`, UNC},
		{`\\?\UNC\files.evil.test\share\x`, UNC},
		{`//?/unc/files.evil.test/share`, UNC},
		{`\??\UNC\files.evil.test\share`, UNC},
		{`\\`, UNC},
		{`\\?\C:\x`, NTNamespace},
		{`\\?`, NTNamespace},
		{`\\.\PhysicalDrive0`, NTNamespace},
		{`//./pipe/x`, NTNamespace},
		{`\??\C:\x`, NTNamespace},
		{`/??/C:/x`, NTNamespace},
		{`\\?\GLOBALROOT\Device\x`, NTNamespace},

		{`a:b`, DriveRelative},
		{`C:`, DriveRelative},
		{`C:foo`, DriveRelative},
		{`C:..\x`, DriveRelative},
		{`ab:c`, Stream},
		{`a.txt:stream`, Stream},
		{`a.txt::$DATA`, Stream},
		{`C:\x:y`, Stream},
		{`dir\a:b`, Stream},
		{`file:///C:/x`, Stream},
		{`1:\x`, Stream},

		{`CON`, DeviceName},
		{`nul`, DeviceName},
		{`a\NUL`, DeviceName},
		{`NUL.txt`, DeviceName},
		{`nul .txt`, DeviceName},
		{`nul.tar.gz`, DeviceName},
		{`C:\x\AUX\y`, DeviceName},
		{`prn.c`, DeviceName},
		{`COM1`, DeviceName},
		{`com0`, DeviceName},
		{`COM¹`, DeviceName},
		{`lpt9.log`, DeviceName},
		{`CONIN$`, DeviceName},
		{`conout$`, DeviceName},

		{`.gitlab-ci.yml. `, TrailingDot},
		{`a.`, TrailingDot},
		{`a `, TrailingDot},
		{`a.\b`, TrailingDot},
		{`...`, TrailingDot},
		{`.. \x`, TrailingDot},

		{`GITLAB~1.YML`, ShortName},
		{`C:\PROGRA~1\x`, ShortName},
		{`gitlab~12.yml`, ""},
		{`gitla~12.yml`, ShortName},
		{`~1`, ShortName},
		{`a~1`, ShortName},

		{`a?b`, ForbiddenChar},
		{`*.txt`, ForbiddenChar},
		{`a|b`, ForbiddenChar},
		{`"a"`, ForbiddenChar},
		{`<a>`, ForbiddenChar},
	} {
		if got := kindIn(t, Screen(row.raw, Windows)); got != row.want {
			t.Errorf("Screen(%q, windows) is %q, want %q", row.raw, got, row.want)
		}
	}
}

func TestErrorIsABoundedSentence(t *testing.T) {
	err := &InvalidError{Kind: Nul, Path: "a\x00b"}
	if got, want := err.Error(), `the path "a\x00b" contains a NUL byte`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	err = &InvalidError{Kind: TooLong, Path: strings.Repeat("a", 1<<20)}
	if n := len(err.Error()); n > 1024 {
		t.Errorf("the sentence has %d bytes", n)
	}
	if got := (&InvalidError{Path: "x"}).Error(); got != `the path "x" is not valid` {
		t.Errorf("without a kind: %s", got)
	}
}

func TestParseOS(t *testing.T) {
	for _, row := range []struct {
		name string
		want OS
		ok   bool
	}{
		{"linux", POSIX, true},
		{"freebsd", POSIX, true},
		{"darwin", Darwin, true},
		{"windows", Windows, true},
		{"Linux", POSIX, false},
		{"", POSIX, false},
		{"plan9", POSIX, false},
	} {
		if got, ok := ParseOS(row.name); got != row.want || ok != row.ok {
			t.Errorf("ParseOS(%q) is %v, %v", row.name, got, ok)
		}
	}
	for _, os := range []OS{POSIX, Darwin, Windows} {
		if got, ok := ParseOS(os.String()); got != os || !ok {
			t.Errorf("%v does not read its own name", os)
		}
	}
}
