package audit

import (
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/decide"
)

// leaks are places of secrets that no name beside an equals sign tells, with the
// secret written as §.
var leaks = []string{
	"export DB_PASS=§", "DB_PASS='§' ./run", "x --db-pass §", `ansible -e "ansible_become_pass=§" all`, "MYSQL_ROOT_PASS: §",
	"set -x API_KEY §", "set -gx GITHUB_TOKEN '§'", "setenv API_KEY §", `setx API_KEY "§"`, "set -Ux DB_PASS §",
	"aws configure set aws_secret_access_key §", "aws configure set aws_session_token § --profile x",
	"npm config set //registry.example.com/:_authToken §", "npm config set _authToken=§", "git config --global x.token §", "pulumi config set dbPassword §",
	"password: |\n  §\nnext: x", "db:\n  password: >-\n    §\n    §\n  user: me", "- password: |\n    §\n- x",
	`{"headers":[["Authorization","§"]]}`, `[{"name":"Authorization","value":"§"}]`, `[{\"name\": \"Authorization\", \"value\": \"§\"}]`,
	"- name: DB_PASSWORD\n  value: §\n", `- name: "DB_PASSWORD"` + "\n  value: '§'\n",
	"api key = §", "API Key: §", "secret key: §", "access key = '§'", `<add key="ApiKey" value="§">`, `<add key='ApiKey' value='§' />`,
	`{"p\u0061ssword":"§"}`, `{\"p\\u0061ssword\":\"§\"}`, "pass%77ord=§", "%70assword=§&a=b", "redirect=x%3Ftoken%3D§",
	"ｐａｓｓｗｏｒｄ=§", "pass\u200bword=§", "pass\u00adword: §", "pаsswоrd=§", "tοken=§", "API\u2060_KEY=§", "pássword=§", "password＝§", "𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝=§", "ſecret=§", "раѕѕword=§",
	"mnemonic: legal winner § thank year", "mnemonic=\"legal §\"", "seed phrase: legal winner §", "--mnemonic 'legal §'", "SEED_PHRASE=§", "mnemonic = legal winner § thank", "mnemonic:§", "recovery phrase: legal §",
	"https://discord.com/api/webhooks/123456/§", "https://discordapp.com/api/webhooks/123456/§", "https://api.telegram.org/bot123456789:§/sendMessage",
	"https://hooks.slack.com/workflows/T0/A0/§", "https://x.webhook.office.com/webhookb2/§@x/IncomingWebhook/y",
	"https://x.com/a;jsessionid=§?x=y", "Cookie: JSESSIONID=§", "JSESSIONID=§", "PHPSESSID=§",
	"sqlplus scott/§@db", "sqlplus -S scott/§@//db:1521/x @a.sql", "sqlplus 'scott/§@db'", "rman target sys/§@db", "sqlplus scott/§", "/opt/bin/sqlplus scott/§@db",
	"echo § | docker login -u me --password-stdin", "echo -n '§' | docker login --password-stdin reg", "printf '%s' § | gh auth login --with-token",
	"echo § | sudo -S ls", "echo user:§ | chpasswd", "docker login --password-stdin <<< §", "echo § | kubectl x --token-stdin",
	"machine example.com login me password §", "machine example.com\nlogin me\npassword §\n", "machine h password § login me",
	"PuTTY-User-Key-File-3: x\nPrivate-Lines: 2\n§\n§\nPrivate-MAC: ab", "Private-Lines: 1\r\n§",
}

func TestLeaks(t *testing.T) {
	for _, text := range append(leaks, strings.Repeat("net ", maxStarts-1)+"user x §", strings.Repeat("net ", maxStarts)+"net user x §") {
		text := strings.ReplaceAll(text, "§", mark)
		if shown := hideSecrets(text); survives(shown) {
			t.Errorf("%q\n  is shown as %q", text, shown)
		}
		got := encoded(nil, &Event{
			Tool: "t", Note: text, Arguments: decide.NewObject(decide.Member{Name: "command", Value: decide.Text(text)}),
			Decision: &decide.Decision{Reason: text, Rule: text, Suggestions: []string{text}, Warnings: []string{text}, StandingTarget: text},
		})
		if survives(got) {
			t.Errorf("%q\n  is recorded as %s", text, got)
		}
	}
}

// What is hidden in members of arguments.
func TestLeakingMembers(t *testing.T) {
	for _, raw := range []string{
		`{"headers":[["Authorization","§"]]}`, `{"headers":["Authorization","§","Accept","x"]}`, `{"x":[{"name":"Authorization","value":"§"}]}`,
		`{"p\u0061ssword":"§"}`, `{"pass%77ord":"§"}`, `{"ｐａｓｓｗｏｒｄ":"§"}`, `{"pass\u200bword":"§"}`, `{"pаsswоrd":"§"}`, `{"db_pass":"§"}`,
		`{"mnemonic":"§"}`, `{"seed_phrase":"§"}`, `{"seedPhrase":"§"}`, `{"JSESSIONID":"§"}`, `{"env":[["DB_PASS","§"]]}`,
	} {
		raw = strings.ReplaceAll(raw, "§", mark)
		if got := encoded(nil, &Event{Tool: "t", Arguments: value(t, raw)}); survives(got) {
			t.Errorf("%s\n  is recorded as %s", raw, got)
		}
	}
}

// A decision quotes its call in its own words.
func TestHiddenInArgumentsIsHiddenInTheReason(t *testing.T) {
	for _, row := range []struct{ arguments, reason, want string }{
		{`{"command":"DB_PASS=hunter2 x"}`, "hunter2 is assigned", "[redacted] is assigned"},
		{`{"command":"DB_PASS='hun'ter2 x"}`, "the value hunter2 is assigned", "the value [redacted] is assigned"},
		{`{"password":"tr0ub4dor&3"}`, "tr0ub4dor&3 is no path", "[redacted] is no path"},
		{`{"credentials":{"user":"me","key":["s3cr3t-x"]}}`, "s3cr3t-x is new", "[redacted] is new"},
		{`{"password":"make"}`, "makefile is read by make", "makefile is read by [redacted]"},
		{`{"password":"abc"}`, "abc is read", "abc is read"},
		{`{"token":"$TOKEN_HERE"}`, "$TOKEN_HERE is read", "$TOKEN_HERE is read"},
	} {
		got := encoded(nil, &Event{
			Tool: "t", Note: row.reason, Arguments: value(t, row.arguments),
			Decision: &decide.Decision{Reason: row.reason, Rule: row.reason, Suggestions: []string{row.reason}, Warnings: []string{row.reason}, URL: row.reason},
		})
		if n := strings.Count(got, row.want); n != 6 {
			t.Errorf("%s: %q stands %d times in %s", row.arguments, row.want, n, got)
		}
	}
}

// Ordinary texts stay whole.
func TestHarmlessTexts(t *testing.T) {
	for _, text := range []string{
		"git status --short", "git config --global user.name me", "git config core.autocrlf false", "npm config set registry https://registry.example.com",
		"set -e", "set -euo pipefail; make", "set -x PATH /usr/bin $PATH", "setenv PATH /usr/bin", "aws configure set region eu-west-1", "export PATH=$PATH:/opt/bin",
		"set the API_KEY in your environment", "set API_KEY before you start", "please set the password for the user", "reset the token and try again",
		"echo hello | wc -l", "echo done", "printf '%s\\n' a b | sort", "echo $TOKEN | docker login --password-stdin", "docker login --password-stdin < /run/secrets/p",
		"sqlplus /nolog", "sqlplus / as sysdba", "sqlplus /nolog @dir/file.sql", "rman target /", "ls a/b@c",
		"machine learning and login forms", "login with your password and go on", "the login page asks for a password first",
		"first_pass=3", "tests_pass: true", "the compiler_pass = inline", "bypass=yes", "low_pass=440", "make test && echo pass",
		"the primary key = id", "key: value", "foreign key: user_id", "for key = value in x", "a hotkey: ctrl",
		"http://x/%41%42?q=100%25", "printf '\\x41\\u0042'", "%PATH% and 100%", "Überraschung: größer", "привет: мир", "日本語: テスト", "naïve = true", "emoji 👩‍💻: fine",
		"https://discord.com/channels/1/2", "https://api.telegram.org/", "https://x.com/a;v=1?x=y",
		"name: app\nvalue: 3\n", `{"name":"PATH","value":"/usr/bin"}`, `<add key="Mode" value="fast">`, `["a","b"]`,
		"description: |\n  the token is not here\n", "passenger: me", "phrase: hello there", "a phrase = x", "seed: 42", "random_seed=42",
		"kubectl create secret generic x --from-file=./x", "pytest -k 'not password'", "grep -rn password src/", "rm -rf build && mkdir build",
		"password.go: 12", "tokenizer=fast", "cat ~/.netrc", "ssh-keygen -t ed25519 -f key", "the session id: 12",
	} {
		if shown := hideSecrets(text); shown != text {
			t.Errorf("%q\n  is shown as %q", text, shown)
		}
	}
}

func TestHarmlessMembers(t *testing.T) {
	for _, raw := range []string{
		`{"args":[["a","b"],["path","/x"]]}`, `{"headers":["Accept","x"]}`, `{"list":["password","email"]}`, `{"first_pass":3,"compass":"north"}`,
		`{"größe":"3","имя":"x","名前":"y"}`, `{"seed":42,"phrase":"x"}`, `{"session_id":"build-42"}`, `{"fields":["token","name"]}`,
	} {
		if got := arguments(t, encoded(nil, &Event{Tool: "t", Arguments: value(t, raw)})); got != raw {
			t.Errorf("%s\n  is recorded as %s", raw, got)
		}
	}
}
