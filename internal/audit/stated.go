package audit

import "strings"

// A sentence can tell a secret: the password is hunter2. What else it may say of one
// is told apart by how the word looks, and by the words below.

// stating are the words between the name and what is said of it.
var stating = []string{"is now", "is still", "is", "was", "will be"}

// saidOf are words that a sentence says of a secret, and no secrets.
var saidOf = set("base64", "base32", "hex", "utf8", "utf-8", "ascii", "sha1", "sha256", "sha512", "md5", "bcrypt", "argon2", "argon2id", "pbkdf2", "scrypt",
	"x509", "ed25519", "hs256", "rs256", "es256", "oauth2", "oauth", "jwt", "json", "yaml", "plaintext", "cleartext", "text", "clear", "plain", "opaque",
	"wrong", "correct", "incorrect", "right", "valid", "invalid", "missing", "absent", "present", "empty", "blank", "weak", "strong", "short", "long",
	"set", "unset", "secret", "public", "private", "optional", "mandatory", "here", "there", "this", "that", "it", "what", "why", "how", "where", "unknown",
	"safe", "unsafe", "secure", "insecure", "new", "old", "gone", "lost", "ok", "okay", "fine", "good", "bad", "null", "none", "nil", "undefined",
	"hidden", "known", "stolen", "given", "shown", "written", "kept", "sent", "read", "bearer", "random", "unique", "mine", "yours", "up", "off", "on", "out",
	"in", "at", "too", "not", "so", "a", "an", "the", "no", "by", "default", "case-sensitive", "one-time", "read-only")

// states is where what is said begins, or 0.
func states(s string, at int) int {
	for _, word := range stating {
		end := at + len(word)
		if !strings.HasPrefix(s[at:], word) || end >= len(s) || s[end] != ' ' && s[end] != ':' {
			continue
		}
		if s[end] == ':' {
			end++
		}
		for end < len(s) && s[end] == ' ' {
			end++
		}
		return end
	}
	return 0
}

// stated finds a secret that a sentence tells.
func (t *scanner) stated(i int, name string, at int) (from, to int) {
	s := t.s
	if at == len(s) || t.textMeaning(i, name, headed) != secret {
		return 0, 0
	}
	if c := s[at]; c == '"' || c == '\'' || c == '`' {
		end := strings.IndexByte(s[at+1:min(len(s), at+lookahead)], c)
		if end < 1 || strings.IndexByte(s[at+1:at+1+end], '\n') >= 0 || isReference(s[at+1:at+1+end]) || isConstant(s[at+1:at+1+end]) {
			return 0, 0
		}
		return at + 1, at + 1 + end
	}
	to = upTo(s, at, wordEnds)
	for to > at && strings.IndexByte(".,;:!?)", s[to-1]) >= 0 {
		to--
	}
	word := s[at:to]
	ends := to == len(s) || s[to] != ' ' && s[to] != '\t'
	switch low := strings.ToLower(word); {
	case len(word) < 4, saidOf[low], strings.IndexByte("<{[($%*|", word[0]) >= 0, strings.Contains(word, "://"), strings.HasSuffix(low, "ed"):
		return 0, 0
	case isNumber(word):
		if !ends || !isPassword(name) {
			return 0, 0
		}
	case plainWord(word):
		// In the middle of a sentence it goes on with something else.
		if !ends || !isPassword(name) || strings.HasSuffix(low, "ly") || strings.HasSuffix(low, "able") || strings.HasSuffix(low, "ing") {
			return 0, 0
		}
	}
	return at, to
}

// isPassword says whether a name is that of a word that people choose themselves.
func isPassword(name string) bool {
	low := strings.ToLower(name)
	for _, end := range [...]string{"password", "passwd", "passphrase", "passcode", "pwd"} {
		if strings.HasSuffix(low, end) {
			return true
		}
	}
	return false
}

// plainWord accepts what looks like a word of a language: letters, the first of
// which may be a capital, with single hyphens and apostrophes between.
func plainWord(w string) bool {
	for i := range len(w) {
		c := w[i]
		switch {
		case isLower(c), c >= 0x80, i == 0 && isUpper(c):
		case (c == '-' || c == '\'') && i > 0 && i+1 < len(w) && w[i-1] != c:
		default:
			return strings.ToUpper(w) == w && !strings.ContainsAny(w, "0123456789_") // REQUIRED
		}
	}
	return true
}

// isNumber accepts digits, as in 12 or 99.5%.
func isNumber(w string) bool { return strings.Trim(w, "0123456789.,%") == "" }
