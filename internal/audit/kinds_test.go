package audit

import (
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/decide"
)

// secretKinds are ways in which a secret, written as §, is given: in a command, a
// header, an address, a document, or as a token that is written in parts.
var secretKinds = []string{
	// Flags.
	"mysql --password '§ y'", "mysql --password='§ y'", `mysql --password="a"§`, "mysql -u root -p'§' db", `mysql -p"§" db`, "mysql -u root '-p§' db",
	"'mysql' -p§", `"mysql" -p§ db`, "my''sql -p§", "mysql.exe -p§", "mariadb-dump -p§", "mysqlimport -uroot -p§", "mysql \\\n -u root \\\n -p§", "mysql \\\r\n -p§",
	"podman login -p§ x", "helm registry login -u x -p § h", "glab auth login -t §", "twine upload -u x -p § dist/*", "bcp x out y -U u -P§", "rar a -hp§ y",
	"useradd -p § x", "ssh-keygen -N '§' -f x", "keytool -storepass § x", "doctl -t § x", "gh secret set X --body §", "gh secret set X -b§",
	"az keyvault secret set --vault-name x --name y --value §", "aws ssm put-parameter --type SecureString --name x --value §", "ldappasswd -s § x",
	"curl -su user:§ x", "curl -sSLu user:§ x", `curl -u "user":"§" x`, "curl -u user:'§' x", "curl -E cert.pem:§ x", "curl --cert cert.pem:§ x", "https --auth=user:§ x",
	"curl -sb sid=§ x", "curl --oauth2-bearer § x",
	// Environment.
	"PGPASSWORD=§ psql", "PGPASSWORD='§ x' psql", `$env:PGPASSWORD = "§"`, "set PGPASSWORD=§&& psql", "REDISCLI_AUTH=§ redis-cli", "SSHPASS=§ sshpass -e ssh x",
	`docker run -e "TOKEN=§" x`, "docker run --env=TOKEN=§ x", "ENV API_TOKEN §", "_auth=§", "npm config set _auth §",
	// Places that only the command knows.
	"htpasswd -b f user §", "htpasswd -nbB user §", "vault login §", "net user bob § /add", `net use x: \\h\s § /user:u`, "wpa_passphrase ssid §",
	"mc alias set x http://h KEY1 §", "poetry config http-basic.x user §", "poetry config pypi-token.pypi §", "composer config --global github-oauth.github.com §",
	"rclone obscure §", "rclone config create x s3 secret_access_key §", "redis-cli -h h AUTH user §", "redis-cli CONFIG SET requirepass §", "nmcli d wifi connect x password §",
	"fly secrets set A=x B=§", "vault kv put secret/x a=§", "heroku config:set DB_URL=§", "kubectl create secret generic x --from-literal=a=§", "kubectl create secret generic x --from-literal a=§",
	// What a command reads.
	"docker login -u x --password-stdin <<EOF\n§\nEOF", "docker login -u x --password-stdin <<-'EOF'\n\t§\n\tEOF\nls", "gh auth login --with-token << \"EOF\"\n§\nEOF", "chpasswd <<EOF\nuser:§\nEOF",
	"sudo -S ls <<< §", "docker login <<< '§' --password-stdin", "wrangler secret put X <<< §", "kinit <<< §", "gcloud secrets versions add x --data-file=- <<< §",
	"cat <<EOF | docker login --password-stdin\n§\nEOF", "yes § | passwd x", `echo -e '§\n§' | passwd x`, "echo §|pass insert -e x", "echo § | vault login -",
	"cat > x <<EOF\npassword=§\nEOF",
	"vercel env add X <<< §", "echo § | vercel env add X production", "ansible-vault encrypt_string § --name x", "netlify env:set X §", "firebase functions:secrets:set X <<< §", "openssl enc -pass stdin <<< §",
	// With others before them in the command.
	"mysqladmin password §", "mysqladmin -u root -p§ password 'new §'", "mariadb-admin --user=root password §", "redis-cli -a § AUTH §", "net use x: \\\\h\\s § /user:token=§", "vault login -token=§ §",
	"PASSWORD=§ sqlplus TOKEN=§ u/§@db",
	// Logins without a scheme.
	"scp u:§@h: .", "scp x u:§@h:/tmp/x", "sftp u:§@h", "rsync -a x u:§@h.example.com:y", "sshpass -p § scp x u:§@h:", "lftp -e ls u:§@h", "psexec.py dom/u:§@10.0.0.1", "scp -r 'u:§@h:/x' .",
	// Flags that begin with a slash.
	"xfreerdp /v:h /u:x /p:§", "xfreerdp /p:'§ x' /v:h", "xfreerdp /gp:§", "wlfreerdp /u:x /p:§", `xfreerdp "/p:§"`, "schtasks /create /ru u /rp §", "psexec -p § cmd",
	// Sentences.
	"the password is §", "Password is: §", "the password is '§'", "my password was §.", "The API key is `§`, use it", "the token is now §", "the secret will be \"§ x\"", "their password is\u0020§",
	// Tables.
	"| user | password |\n|---|---|\n| me | § |", "| user | password |\n|:--|--:|\n| me | § x |\n| you | § |\n\ntext", "user | **Password** | x\n--- | --- | ---\nme | § | y\n | § | z", " id | api_key \n----+---------\n  1 | §\n(1 row)",
	"+----+----------+\n| id | password |\n+----+----------+\n|  1 | §        |\n|  2 | §        |\n+----+----------+", "| a | token |\r\n| --- | --- |\r\n| x | § |\r\n", "| password |\n|--|\n| a\\|§ |\n", "text\n\n| password | token |\n|--|--|\n| § | § |\n| § | |",
	// Headers.
	`curl -H 'Authorization: Digest username="u", response="§"' x`, `curl -H "Authorization: Digest username='u', response='§'" x`, "curl -H 'X-Auth: §' x", "curl -H 'X-Signature: §'",
	"curl -HX-Api-Key:§", "Bearer%20§", "Authorization%3A%20Bearer%20§", "Authorization=Basic%20§",
	// Addresses.
	"https%3A%2F%2Fuser%3A§%40host%2Fx", "https://user:a%40§@host/x", "https://user:a%2F§@host/x", "//user:§@host/x", "user:§@tcp(db:3306)/x", "u:§@host:5432/db",
	"https://x?a=1&amp;sig=§", "https://x#sig=§", `https://x?a=b\u0026sig=§`, "https://x?to=a%3Fa=b%26sig=§", "https://x?hmac=§", "https://x?a=b&assertion=§", "https://x?X-Amz-Signature=§",
	// Documents.
	"\"password\":\n  \"§\"", "a:\n  password:\n    §\n", "password: `§`", "**password**: §", "a:\n  password: !vault |\n    §\n",
	"<db:password>§</db:password>", `<password type="x">§</password>`, "<password><![CDATA[§]]></password>", `<setting value="§" name="password"/>`, `<entry key="password">§</entry>`,
	"<key>api_token</key>\n\t<string>§</string>", "<name>password</name><value>§</value>",
	`[{"value":"§","name":"TOKEN"}]`, `[{\"value\":\"§\",\"name\":\"TOKEN\"}]`, `{"name":"TOKEN","type":"x","value":"§"}`, "- value: §\n  name: TOKEN", "- name: TOKEN\n  secure: true\n  value: §", `{"k":"TOKEN","v":"§"}`,
	// Names.
	"PassWord=§", "pass_word=§", "password2=§", "API_TOKEN_2=§", "db_pw=§", "pw: §", "hmac_key=§", "OPENAI_KEY=§", "basic_auth=§", "auth_code=§", "backup_code=§", "AUTH=§", "privkey=§",
	// Keys.
	"-----BEGIN EC PRIVATE KEY-----\n-----END x\n§\n-----END EC PRIVATE KEY-----", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n§\n---- END", "----- BEGIN RSA PRIVATE KEY -----\n§",
	"-----begin rsa private key-----\r§", "------BEGIN PRIVATE KEY-----\n§", "x-----BEGIN PRIVATE KEY-----\n§", "-----BEGIN RSA PRI\"\"VATE KEY-----\n§", "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo§",
	"-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n§\n-----END PRIVATE KEY-----",
	// Tokens in parts.
	"gh''p_§§", `gh"p_"§§`, `ghp_"§§"`, `gh\p_§§`, `xoxb-"§"`, "eyJ'hbGciOiJIUzI1NiJ9.e30.§'", `eyJhbGciOiJIUzI1NiJ9\.e30\.§`, "PASS''WORD=§", `PASS\WORD=§`, "ghp%5F§§",
	"ATBB§§", "ntn_§§", "xkeysib-§§", "CFPAT-§§", "pplx-§§",
}

func TestSecretKinds(t *testing.T) {
	for _, row := range secretKinds {
		text := strings.ReplaceAll(row, "§", mark)
		got := encoded(nil, &Event{
			Tool: text, Note: text, Request: text, Arguments: decide.NewObject(decide.Member{Name: "command", Value: decide.Text(text)}, decide.Member{Name: text, Value: decide.Text("x")}),
			Metadata: decide.NewObject(decide.Member{Name: "x", Value: decide.Text(text)}), Details: Detail(map[string]any{"labels": map[string]string{"a": text}, "value": text}),
			Decision: &decide.Decision{
				Reason: text, Rule: text, Suggestions: []string{text}, Warnings: []string{text}, StandingTarget: text, URL: text,
				Paths: []decide.JudgedPath{{Given: text, Resolved: text, Root: text}},
			},
		})
		if survives(got) {
			t.Errorf("%q\n  is recorded as %s", row, got)
		}
	}
}

// secretMembers are the same in members of arguments.
var secretMembers = []string{
	`{"argv":["mysql","-p§"]}`, `{"argv":["/usr/bin/mysql","-uroot","-p§","db"]}`, `{"argv":["curl","-u","user:§","x"]}`, `{"argv":["curl","-uuser:§"]}`, `{"argv":["curl","-H","X-Auth: §"]}`,
	`{"argv":["curl","-u","it's:§"]}`, `{"argv":["sshpass","-p","§","ssh"]}`, `{"argv":["docker","login","-u","x","-p","§"]}`, `{"command":"curl","args":["-u","user:§"]}`, `{"args":["-p§"],"command":"mysql"}`,
	`{"command":["docker","login"],"args":["-p","§"]}`, `{"argv":["redis-cli","-a","§"]}`, `{"argv":["aws","configure","set","aws_secret_access_key","§"]}`, `{"argv":["htpasswd","-b","f","u","§"]}`,
	`{"argv":["mysqladmin","-u","root","password","§"]}`, `{"command":"xfreerdp","args":["/u:x","/p:§"]}`, `{"argv":["scp","u:§@h:","."]}`, `{"command":"vercel env add X","stdin":"§"}`, `{"message":"the password is §"}`,
	`{"basic_auth":"u:§"}`, `{"headers":{"X-Auth":"§"}}`, `{"headers":{"X-Signature":"§"}}`, `{"k":"token","v":"§"}`, `{"selector":"#password","text":"§"}`, `{"element":"Password field","text":"§"}`,
	`{"label":"Password","value":"§"}`, `{"stdin":"§\n","command":"docker login --password-stdin"}`, `{"input":"§","command":"sudo -S ls"}`, `{"username":"u","pw":"§"}`, `{"password2":"§"}`, `{"token1":"§"}`,
	`{"lines":["-----BEGIN PRIVATE KEY-----","x","§","-----END PRIVATE KEY-----","y"]}`, `{"data":"{\"value\":\"§\",\"name\":\"TOKEN\"}"}`, `{"access_code":"§"}`, `{"AES_KEY":"§"}`,
}

func TestSecretMembers(t *testing.T) {
	for _, row := range secretMembers {
		got := encoded(nil, &Event{Tool: "t", Note: "saw " + mark + " there", Arguments: value(t, strings.ReplaceAll(row, "§", mark))})
		if survives(got) {
			t.Errorf("%s\n  is recorded as %s", row, got)
		}
	}
}

// What looks a little like them stays as it is.
func TestHarmlessKinds(t *testing.T) {
	for _, text := range []string{
		"mysql -h db -P 3306 -e 'select 1'", "mysqldump --single-transaction db > x.sql", "curl -sSL https://x.com/a | tar xz", "curl -so out.txt https://x.com", "docker run -p 8080:80 image:tag",
		"image: repo/name:tag@sha256:0123456789abcdef", `"react": "npm:react@18.2.0"`, "git@github.com:a/b.git", "scp a.txt host:/tmp/x", "From: a@example.com", "mailto:a@example.com", "see foo:bar@baz for more",
		"vault read secret/x", "vault status", "net user", "mc ls x/y", "poetry config virtualenvs.in-project true", "redis-cli GET key", "kubectl create secret generic x --from-file=./x",
		"cat <<EOF > x\nhello\nEOF", "grep x <<< hello", "echo hello | grep passwd", "cat /etc/passwd", "python - <<'EOF'\nprint(1)\nEOF",
		"zip code: 12345", "exit code: 1", "error_code=42", "status_code: 200", "x-header: y", "primary_key=id", "sort_key: name", "hotkey: ctrl", "cache_key=abc", "country_code=DE",
		"<item key=\"name\">hello</item>", "<key>CFBundleName</key><string>App</string>", "<p class=\"token\">x</p><b>y</b>", `{"name":"PATH","value":"/usr/bin"}`, `{"value":"x","name":"mode"}`,
		"- name: build\n  value: 3\n- name: test\n", "don't stop, it's fine", "the users' files aren't there", `echo "a"b'c'`, `printf "%s\n" x`, `C:\Users\me\file`, "a\\ b", `grep 'it'\''s' x`,
		"https://x.com/a?b=c&d=e#section", "https://x.com/a%20b%2Fc?q=x%26y", "https://x.com/?session=1", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
		"---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----", "-- begin private notes", "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUI", "Please enter the password:\nthen go on with the next step", "title:\n  hello\n",
		"the password is required", "The password is wrong.", "password is incorrect, try again", "the token is not here", "the token is expired", "a password is too short", "the API key is set in the environment",
		"the secret is out", "the password is stored in the vault", "if the token is missing, ask", "the password is hashed with bcrypt", "the password is sha256", "the token is base64", "the cookie is set on login",
		"password is 8 characters long", "the token is valid for 3600 seconds", "the password is $PASSWORD", "the password is <your password>", "the token is `$TOKEN`", "what the password is for", "the password is empty",
		"the password is OK", "the token is a JWT", "the password is REQUIRED", "the authorization is checked by the service", "the cookie is chocolate", "the secret is patience", "the password is unguessable.",
		"mysqladmin -u root status", "mysqladmin ping", "vercel env ls", "scp a@h:/x b@h:/y", "rsync -a host:/a/b@2020 .", "scp -P 22 a.txt u@h:", "ssh -L 8080:localhost:80 u@h", "ssh u@h 'ls /p'", "rsync -av src/ u@h:dst/",
		"xfreerdp /v:h /u:me", "ls /p:x", "schtasks /query", "| a | b |\n|---|---|\n| c | d |", "| name | password_file |\n|---|---|\n| a | /x/y |", "| password |\n|---|\n", "| password | set |\n|---|---|\n| | yes |\n| null | no |\n| $PW | no |",
		"a password | b\nc | d", "---\ntitle: x\n---\ntext | more", "| tokens |\n|---|\n| 12 |", "Password\n--------\nis a heading | x",
		"set -o pipefail && make", "git config --list", "npm config get registry", "ssh-keygen -t ed25519 -f key -C me@host",
	} {
		if shown := hideSecrets(text); shown != text {
			t.Errorf("%q\n  is shown as %q", text, shown)
		}
	}
	for _, raw := range []string{
		`{"argv":["git","commit","-m","it's done"]}`, `{"argv":["docker","run","-p","8080:80","x"]}`, `{"command":"curl","args":["-s","https://x.com"]}`, `{"command":"npm","args":["run","test"],"input":"x"}`,
		`{"element":"Search field","text":"shoes"}`, `{"selector":"#name","text":"Bob"}`, `{"lines":["-----BEGIN CERTIFICATE-----","MIIB","-----END CERTIFICATE-----"]}`, `{"code":"print(1)","exit_code":0}`, `{"list":["password","email"]}`,
	} {
		if got := arguments(t, encoded(nil, &Event{Tool: "t", Arguments: value(t, raw)})); got != raw {
			t.Errorf("%s\n  is recorded as %s", raw, got)
		}
	}
}
