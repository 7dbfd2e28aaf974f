package audit

import (
	"bytes"
	"strings"

	"github.com/agent-pdp/pdp/decide"
)

// A name is read as words: at separators, and where a small letter meets a
// capital one. It names a secret if one of its words does, or two that stand
// together, unless its last word says that it is about the secret only
// (password_file, token_type).

// secretWords name a secret, alone or at the end of a longer word (authtoken).
var secretWords = []string{
	"password", "passwd", "passphrase", "passcode", "secret", "token", "credential", "cookie",
	"apikey", "secretkey", "privatekey", "accesskey", "sessionkey", "signingkey", "encryptionkey", "accountkey",
	"privkey", "storepass", "keypass", "sshpass", "pincode", "mnemonic", "seedphrase", "recoveryphrase", "recoverykey", "masterkey", "sharedkey", "authkey", "deploykey", "sshkey", "servicekey", "authorization", "jwt", "bearer",
}

// wholeWords name a secret only as a word of their own.
var wholeWords = set("pwd", "pw", "psw", "pswd", "passwrd", "creds", "cred", "otp", "totp", "csrf", "xsrf", "pat", "sas", "jsessionid", "phpsessid", "sessid")

// wholeNames name a secret only as the whole name.
var wholeNames = set("raw", "pass", "pin", "auth", "sig", "dsn", "connectionstring", "mfa", "cvv", "cvc", "userpass")

// passed are words before pass with which it is no password: first_pass.
var passed = set("first", "second", "third", "last", "one", "two", "single", "multi", "test", "tests", "check", "checks", "all", "by",
	"num", "did", "does", "should", "must", "can", "render", "compiler", "opt", "low", "high", "band", "to", "not", "on", "of", "boarding", "will")

// keyQualifiers make a secret of the word key that follows.
var keyQualifiers = set("api", "private", "session", "secret", "access", "signing", "encryption", "account", "master",
	"shared", "auth", "deploy", "ssh", "service", "storage", "client", "subscription", "license", "app", "application", "functions",
	"hmac", "aes", "rsa", "cipher", "symmetric", "crypto", "pem", "ssl", "tls", "bot", "stripe", "openai", "anthropic", "gemini", "maps",
	"admin", "root", "write", "unlock", "priv", "wallet")

// codeQualifiers make a secret of the word code that follows, and authQualifiers
// of the word auth.
var (
	codeQualifiers = set("auth", "access", "verification", "backup", "recovery", "login", "security", "factor", "mfa", "otp", "pin", "pass")
	authQualifiers = set("basic", "http", "proxy", "x", "registry", "npm", "git", "rediscli")
)

// aboutWords end names that are about a secret and do not hold it.
var aboutWords = set("count", "used", "usage", "limit", "length", "len", "size", "type", "name", "file", "path", "dir", "url", "uri", "endpoint",
	"ttl", "expires", "expiry", "expiration", "policy", "budget", "stdin", "fd", "env", "required", "enabled", "per", "max", "min", "total",
	"index", "position", "age", "hint", "format", "version", "manager", "store", "provider", "helper", "callback")

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// bodyNames hold contents. What runs (code, a query, a prompt) is none: who reads
// the log wants to see it.
var bodyNames = set("body", "content", "contents", "html", "data", "patch", "diff", "text", "newstring", "oldstring", "newstr", "oldstr",
	"filetext", "inserttext", "newtext", "oldtext", "newcontent", "oldcontent", "newsource", "oldsource", "payload", "blob", "bytes",
	"base64", "markdown", "attachment", "image", "xml", "csv")

// labelNames and valueNames are the two halves of a name and value that are
// written as two members.
var (
	labelNames = set("name", "key", "k", "header", "field", "variable", "var", "env", "id", "param", "parameter",
		"element", "selector", "locator", "label", "placeholder") // of tools that type into forms
	valueNames = set("value", "val", "v", "default", "content", "data", "text", "secret", "values")
)

// headerLists hold names and values in turn.
var headerLists = set("header", "headers", "rawheaders", "httpheaders")

const maxNameRead = 96

// foldName lowers a name and takes its separators away.
func foldName(name string) string {
	if len(name) > maxNameRead {
		return ""
	}
	plain := true
	for i := range len(name) {
		if c := name[i]; c < 'a' || c > 'z' {
			plain = false
			break
		}
	}
	if plain {
		return name
	}
	var b [maxNameRead]byte
	n := 0
	for i := range len(name) {
		switch c := name[i]; {
		case 'A' <= c && c <= 'Z':
			b[n] = c + 'a' - 'A'
			n++
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c >= 0x80:
			b[n] = c
			n++
		}
	}
	return string(b[:n])
}

func isBody(name string) bool { return bodyNames[foldName(name)] }

// meaning is what a name says of its value.
type meaning uint8

const (
	harmless  meaning = iota
	countable         // a secret's word in the plural: tokens are counted as often as held
	secret
)

// meaningOf reads a name.
func meaningOf(name string) meaning {
	if len(name) <= 4*maxNameRead && disguised(name) {
		name, _ = undisguise(name)
	}
	if len(name) < 3 {
		if foldName(name) == "pw" {
			return secret
		}
		return harmless
	}
	if !mayName(name) {
		return harmless
	}
	if len(name) > maxNameRead {
		name = name[len(name)-maxNameRead:] // the end says what it is
	}
	if wholeNames[foldName(name)] {
		return secret
	}
	var buf [maxNameRead]byte
	words := splitWords(name, &buf)
	found := harmless
	for i, w := range words.list[:words.n] {
		last := i == words.n-1
		if last && found != harmless && aboutWords[w] {
			return harmless
		}
		if w == "key" && i > 0 && keyQualifiers[words.list[i-1]] || w == "string" && i > 0 && words.list[i-1] == "connection" {
			found = secret
			continue
		}
		if w == "phrase" && i > 0 && (words.list[i-1] == "seed" || words.list[i-1] == "recovery" || words.list[i-1] == "pass") {
			found = secret
			continue
		}
		if w == "pass" && last && i > 0 && !passed[words.list[i-1]] {
			found = secret
			continue
		}
		if i > 0 && last && (w == "code" && codeQualifiers[words.list[i-1]] || w == "auth" && authQualifiers[words.list[i-1]] ||
			w == "header" && words.list[i-1] == "auth" || w == "word" && words.list[i-1] == "pass" || w == "signature" && words.list[0] == "x") {
			found = secret
			continue
		}
		if w == "keys" && i > 0 && keyQualifiers[words.list[i-1]] {
			found = max(found, countable)
			continue
		}
		found = max(found, wordMeaning(w))
	}
	return found
}

// stems are parts of which each secret name has one.
var stems = []string{
	"pass", "secret", "token", "cred", "cookie", "key", "auth", "jwt", "bearer", "otp", "srf", "pat", "sas",
	"raw", "pin", "sig", "pw", "psw", "code", "dsn", "connection", "mfa", "cv", "mnemo", "phrase", "recovery", "sess",
}

// stemPairs holds the first two bytes of all stems.
var stemPairs = func() (pairs pairSet) {
	for _, s := range stems {
		pairs.add(s[0], s[1])
	}
	return pairs
}()

// stemsBy finds stems by their first byte.
var stemsBy = func() (table [256][]string) {
	for _, s := range stems {
		table[s[0]] = append(table[s[0]], s)
	}
	return table
}()

// mayName is a quick look that most names do not pass.
func mayName(name string) bool {
	var buf [maxNameRead]byte
	low := buf[:min(len(name), maxNameRead)]
	for i := range low {
		low[i] = name[len(name)-len(low)+i] | 0x20
	}
	for i := range len(low) - 1 {
		if !stemPairs.has(low[i], low[i+1]) {
			continue
		}
		for _, s := range stemsBy[low[i]] {
			if bytes.HasPrefix(low[i:], []byte(s)) {
				return true
			}
		}
	}
	return false
}

func wordMeaning(w string) meaning {
	w = strings.TrimRight(w, "0123456789") // password2
	if wholeWords[w] {
		return secret
	}
	plural := strings.TrimSuffix(w, "s")
	if len(plural) < 3 {
		return harmless
	}
	for _, s := range secretWords {
		switch {
		case strings.HasSuffix(w, s):
			return secret
		case len(plural) != len(w) && strings.HasSuffix(plural, s):
			return countable
		}
	}
	return harmless
}

// words of a name; more than fit are read as far as they fit, from the end.
type words struct {
	list [maxNameRead/2 + 1]string
	n    int
}

// splitWords splits at separators and where a small letter or digit meets a
// capital, and where a run of capitals ends (APIKey).
func splitWords(name string, buf *[maxNameRead]byte) (out words) {
	n, start := 0, 0
	end := func() {
		if n > start {
			out.list[out.n] = string(buf[start:n])
			out.n++
		}
		start = n
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case 'A' <= c && c <= 'Z':
			before := i > 0 && (isLower(name[i-1]) || isDigit(name[i-1]))
			runEnds := i > 0 && isUpper(name[i-1]) && i+1 < len(name) && isLower(name[i+1])
			if before || runEnds {
				end()
			}
			buf[n] = c + 'a' - 'A'
			n++
		case isLower(c), isDigit(c), c >= 0x80:
			buf[n] = c
			n++
		default:
			end()
		}
	}
	end()
	return out
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// secretMember reports whether a member of an object holds a secret.
func secretMember(m *decide.Member) bool {
	found := meaningOf(m.Name)
	if found == harmless {
		return false
	}
	switch m.Value.Kind() {
	case decide.Null, decide.Bool, decide.Absent:
		return false
	case decide.Number:
		return found == secret
	case decide.String:
		s, _ := m.Value.AsString()
		return s != "" && !(found == countable && allDigits(s)) && !isWorkingDirectory(m.Name, s)
	}
	return true
}

// isWorkingDirectory tells the shell's PWD from an abbreviated password.
func isWorkingDirectory(name, value string) bool {
	return foldName(name) == "pwd" && (value[0] == '/' || value[0] == '~' || value[0] == '.' || len(value) > 2 && value[1] == ':')
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return len(s) <= 9
}

// namesSecret reports whether one of the members is the name of a secret, as in
// {"name": "DB_PASSWORD", "value": "…"}.
func namesSecret(list []decide.Member) bool {
	if len(list) < 2 {
		return false
	}
	for i := range list[:min(len(list), maxMembers)] {
		if s, ok := list[i].Value.AsString(); ok && len(s) <= maxNameRead && meaningOf(s) != harmless && labelNames[foldName(list[i].Name)] {
			return true
		}
	}
	return false
}

// isFlag reports whether an argument looks like a flag.
func isFlag(s string) bool { return len(s) > 2 && s[0] == '-' && len(s) <= maxNameRead }

// secretFlag reports whether the value of this flag is a secret.
func secretFlag(s string) bool {
	name := strings.TrimLeft(s, "-")
	return !strings.Contains(name, "=") && meaningOf(name) == secret
}
