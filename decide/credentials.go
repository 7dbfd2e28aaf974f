package decide

import (
	"strings"

	"github.com/agent-pdp/pdp/internal/pattern"
	"github.com/agent-pdp/pdp/internal/shell"
)

// credentialFiles are where programs keep keys, tokens and passwords. A list
// that vouches for cat does not vouch for reading these. An operator's
// ask.paths add to them, and take some back with "!".
var credentialFiles = strings.Fields(`
	.ssh .aws .azure .config/gcloud .kube .docker/config.json .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials
	.gem/credentials .cargo/credentials .cargo/credentials.toml .config/gh/hosts.yml .config/hub .terraform.d/credentials.tfrc.json .vault-token
	.env .env.* !.env.example !.env.sample !.env.template !.env.dist
	*.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk
	/etc/shadow /etc/gshadow /etc/sudoers /etc/krb5.keytab /proc/*/environ /var/log/auth.log /var/log/secure /var/log/audit
	.gnupg .password-store .local/share/keyrings Library/Keychains login.keychain-db
	.mozilla .config/google-chrome .config/chromium .config/BraveSoftware
	.claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json .config/github-copilot .config/coworker/secrets.json`)

// credentialStores are the directories among them: already a listing of one
// shows which keys there are.
var credentialStores = strings.Fields(`.ssh .aws .azure .gnupg .password-store .config/gcloud .kube .local/share/keyrings Library/Keychains
	.mozilla .config/google-chrome .config/chromium .config/BraveSoftware`)

func compileCredentials(more []string, home string) (files, stores pattern.Paths) {
	return compileNames(append(append([]string(nil), credentialFiles...), more...), home), compileNames(append(append([]string(nil), credentialStores...), takenBack(more)...), home)
}

func takenBack(patterns []string) (list []string) {
	for _, p := range patterns {
		if strings.HasPrefix(strings.TrimSpace(p), "!") {
			list = append(list, p)
		}
	}
	return list
}

func compileNames(patterns []string, home string) pattern.Paths {
	rules := make([]pattern.Rule, len(patterns))
	for i, p := range patterns {
		rules[i] = pattern.Rule{Pattern: p, Reason: "credentials are kept there"}
	}
	compiled, _ := pattern.CompilePaths(rules, home)
	return compiled
}

// credential returns the pattern of a place where credentials are kept that an
// operand of the command names, in whatever it can become.
func (f *facts) credential() string {
	for i := range f.command.Simples {
		s := &f.command.Simples[i]
		if len(s.Words) == 0 {
			continue
		}
		files := &f.policy.credentials
		if namesOnly[s.Words[0]] {
			files = &f.policy.stores
		}
		for j := 1; j < len(s.Words); j++ {
			texts, _ := s.Values(j)
			for _, w := range texts {
				if rule, hit := f.credentialWord(files, s, j, w); hit {
					return rule
				}
			}
		}
	}
	return ""
}

func (f *facts) credentialWord(files *pattern.Paths, s *shell.Simple, j int, w string) (string, bool) {
	if !strings.ContainsAny(w, "./_~") || prints[s.Words[0]] {
		return "", false
	}
	if _, value, ok := strings.Cut(w, "="); ok && (strings.HasPrefix(w, "-") || strings.HasPrefix(value, "@")) {
		w = value
	}
	rule, hit := f.matchCredential(files, w)
	return rule, hit && !f.policy.table.Pattern(s.Words, j)
}

func (f *facts) credentialPath(name string) (string, bool) {
	return f.matchCredential(&f.policy.credentials, name)
}

// matchCredential looks at the word's text alone, and at what a pattern in it
// can become: an operand may be a path, or hold one behind a colon or an @.
func (f *facts) matchCredential(files *pattern.Paths, w string) (string, bool) {
	if rest, ok := strings.CutPrefix(w, "~"); ok {
		w = f.session.place.Home + rest
	}
	for _, alternative := range shell.Braces(w) {
		for _, name := range [...]string{alternative, alternative[strings.LastIndexAny(alternative, ":@")+1:]} {
			if rule, hit := files.Match(name); hit {
				return rule.Pattern, true
			}
		}
		if strings.ContainsAny(alternative, "*?[") {
			if rule, hit := files.Overlaps(alternative); hit {
				return rule.Pattern, true
			}
		}
	}
	return "", false
}

// namesOnly are programs that show that a file exists, not what is in it.
var namesOnly = wordSet("ls stat test [ du df basename dirname realpath readlink which mkdir touch file tree find")

// prints are programs whose operands are no paths.
var prints = wordSet("echo printf")
