package decide

import (
	"strings"

	"github.com/agent-pdp/pdp/internal/pattern"
)

// credentialFiles are where programs keep keys, tokens and passwords. A list
// that vouches for cat does not vouch for reading these.
var credentialFiles = func() pattern.Paths {
	var rules []pattern.Rule
	for _, p := range strings.Fields(`
		.ssh .aws .azure .config/gcloud .kube .docker/config.json .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials
		.gem/credentials .cargo/credentials .cargo/credentials.toml .config/gh/hosts.yml .config/hub .terraform.d/credentials.tfrc.json .vault-token
		.env .env.* !.env.example !.env.sample !.env.template !.env.dist
		*.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk
		/etc/shadow /etc/gshadow /etc/sudoers /etc/krb5.keytab /proc/*/environ
		.gnupg .password-store .local/share/keyrings Library/Keychains login.keychain-db
		.mozilla .config/google-chrome .config/chromium .config/BraveSoftware
		.claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json .config/github-copilot .config/coworker/secrets.json`) {
		rules = append(rules, pattern.Rule{Pattern: p, Reason: "credentials are kept there"})
	}
	compiled, _ := pattern.CompilePaths(rules, "")
	return compiled
}()
