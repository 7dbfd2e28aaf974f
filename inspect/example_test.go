package inspect_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/agent-pdp/pdp/inspect"
)

func ExamplePath() {
	dir, err := os.MkdirTemp("", "inspect")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	token := filepath.Join(dir, "auth.token")
	if err := os.WriteFile(token, nil, 0o600); err != nil {
		panic(err)
	}
	if err := os.Chmod(token, 0o644); err != nil {
		panic(err)
	}
	r := inspect.Path(token, inspect.Options{})
	fmt.Println("readable by all:", r.WorldReadable)
	fmt.Println("fix:", r.Remediation.Argv[:2])
	// Output:
	// readable by all: true
	// fix: [chmod 600]
}

func ExampleFormatChmod() {
	fmt.Println(inspect.FormatChmod("-it's", 0o600))
	fmt.Println(inspect.FormatChmod("/tmp/two\nlines", 0o600))
	// Output:
	// chmod 600 -- '-it'\''s'
	// chmod 600 $'/tmp/two\012lines'
}

func ExampleParseIcacls() {
	acl := inspect.ParseIcacls("C:\\key Everyone:(R)\n       NT AUTHORITY\\SYSTEM:(F)\n", `C:\key`)
	s := inspect.Summarize(acl.Entries, map[string]string{"USERNAME": "me"}, "")
	fmt.Println(inspect.FormatSummary(s))
	// Output: Everyone:(R)
}

func ExampleClassify() {
	facts, err := inspect.ParseFacts([]byte(`{
		"owner_sid": "S-1-5-18", "current_user_sid": "S-1-5-21-1-2-3-1001", "dacl_present": false,
		"aces": [], "complete": true, "remote": false
	}`), inspect.SnakeCase)
	c := inspect.Classify(facts, err, inspect.ClassifyOptions{})
	fmt.Println(c.WorldWritable, c.ACLSummary, c.Notes)
	// Output: true s-1-1-0:(F) [there is no access list: everybody has full access]
}

func ExampleReset_Command() {
	env := map[string]string{"USERSID": "S-1-12-1-1-2-3-4"}
	fmt.Println(inspect.Reset{Path: `C:\key`, Env: env}.Command().Display)
	fmt.Println(inspect.Reset{Path: `C:\key`, Env: map[string]string{}}.Command())
	// Output:
	// C:\Windows\System32\icacls.exe "C:\key" /inheritance:r /grant:r "*S-1-12-1-1-2-3-4:F" /grant:r "*S-1-5-18:F"
	// <nil>
}
