package decide

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/pattern"
	"github.com/agent-pdp/pdp/internal/shell"
)

// credentialFiles are where programs keep keys, tokens and passwords. A list
// that vouches for cat does not vouch for reading these. An operator's
// ask.paths add to them, and take some back with "!".
var credentialFiles = strings.Fields(`
	.ssh .aws .azure .config/gcloud .kube .docker/config.json .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials .config/git/credentials
	.gem/credentials .cargo/credentials .cargo/credentials.toml .config/gh/hosts.yml .config/hub .terraform.d/credentials.tfrc.json .vault-token
	.env .envrc .env.* !.env.example !.env.sample !.env.template !.env.dist
	*.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk
	/etc/shadow /etc/gshadow /etc/sudoers /etc/krb5.keytab /proc/*/environ /proc/*/task/*/environ /var/run/secrets /run/secrets /var/log/auth.log /var/log/secure /var/log/audit
	.gnupg .password-store .local/share/keyrings Library/Keychains login.keychain-db
	.mozilla .config/google-chrome .config/chromium .config/BraveSoftware
	/etc/shadow- /etc/gshadow- /etc/ssh/ssh_host_*_key /etc/ssl/private .git/config .git/credentials *.tfstate *.tfstate.backup *.tfstate.*.backup *.tfvars
	.claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json .config/github-copilot .config/coworker/secrets.json
	.bash_history .zsh_history .sh_history .ash_history .ksh_history .histfile .local/share/fish/fish_history .python_history .node_repl_history .irb_history
	.psql_history .mysql_history .mariadb_history .sqlite_history .rediscli_history .dbshell .mongodb/mongosh
	.kaggle/kaggle.json .m2/settings.xml .m2/settings-security.xml rclone.conf .rclone.conf .cache/huggingface/token .cache/huggingface/stored_tokens .huggingface/token
	.oci .composer/auth.json .config/composer/auth.json .s3cfg .boto .htpasswd .mylogin.cnf .msmtprc .config/msmtp/config .fetchmailrc .authinfo .subversion/auth
	.gradle/gradle.properties .ivy2/.credentials .sbt/.credentials .config/pypoetry/auth.toml .terraformrc .pulumi/credentials.json .databrickscfg
	.snowsql/config .snowflake .dbt/profiles.yml .config/doctl/config.yaml .config/hcloud/cli.toml .config/linode-cli .fly/config.yml .config/netlify/config.json
	.netlify/config.json .local/share/com.vercel.cli/auth.json .config/.wrangler .wrangler/config .config/scw/config.yaml .aliyun/config.json .bluemix/config.json
	.config/openstack/clouds.yaml .config/ngrok/ngrok.yml .ngrok2/ngrok.yml .config/stripe/config.toml .config/glab-cli/config.yml .config/tea/config.yml
	.circleci/cli.yml .travis/config.yml .config/argocd/config .argocd/config .config/helm/registry/config.json .config/containers/auth.json .config/sops/age/keys.txt
	.config/op .cloudflared .vault_pass .vault_password wallet.dat .electrum .thunderbird .purple/accounts.xml .config/filezilla .filezilla .config/remmina .vnc/passwd
	.cdsapirc .config/wandb/settings .config/rclone .jupyter/jupyter_server_config.json .erlang.cookie
	/etc/wireguard /etc/ipsec.secrets /etc/ppp/chap-secrets /etc/ppp/pap-secrets /etc/NetworkManager/system-connections /etc/mysql/debian.cnf /etc/kubernetes
	/etc/rancher/k3s/k3s.yaml /etc/security/opasswd /etc/sssd/sssd.conf /etc/openvpn
	/etc/letsencrypt/archive /etc/postfix/sasl_passwd /etc/exim4/passwd.client /etc/ldap.secret /etc/pam_ldap.secret /etc/libnss-ldap.secret *.keyring /run/user/*/keyring
	/var/lib/kubelet/pki /var/lib/rancher /var/lib/cloud/instance/user-data.txt /var/lib/jenkins/secrets
	/dev/mem /dev/kmem /proc/kcore /proc/*/mem /proc/*/task/*/mem /dev/sd[a-z]* /dev/hd[a-z]* /dev/vd[a-z]* /dev/xvd* /dev/nvme* /dev/mmcblk* /dev/dm-* /dev/mapper /dev/disk /dev/loop[0-9]*
	.dockercfg .smbcredentials .passwd-s3fs .Xauthority .config/pip/pip.conf .pip/pip.conf .config/age/keys.txt .cf/config.json .vercel/auth.json .railway/config.json
	.supabase/access-token .config/supabase/access-token .config/configstore/firebase-tools.json .config/solana/id.json .ethereum/keystore .streamlit/secrets.toml
	.local/share/atuin .config/nushell/history.txt .local/share/nushell/history.txt PSReadLine/ConsoleHost_history.txt .viminfo .lesshst
	.config/Slack .config/discord .config/Code/User/globalStorage .cursor/mcp.json .claude.json`)

// browserStores are where browsers keep cookies and passwords; some of the names
// hold blanks, and so are no part of the lists above.
var browserStores = []string{
	"Library/Application Support/Google/Chrome", "Library/Application Support/Chromium", "Library/Application Support/BraveSoftware",
	"Library/Application Support/Microsoft Edge", "Library/Application Support/Firefox", "Library/Application Support/Arc", "Library/Cookies",
	".config/microsoft-edge", ".config/vivaldi", ".config/opera", "snap/firefox/common/.mozilla", "snap/chromium/common/chromium",
	"AppData/Local/Google/Chrome", "AppData/Local/Microsoft/Edge", "AppData/Local/BraveSoftware", "AppData/Roaming/Mozilla",
}

// ordinaryNames are such files with an ending that many others have: a pattern
// for the ending alone counts only if there is such a file.
var ordinaryNames = strings.Fields(`credentials.json clouds.yaml application_default_credentials.json service-account*.json service_account*.json serviceaccount*.json client_secret*.json`)

// ordinary reports whether a hit of a pattern is one of ordinaryNames by its
// ending.
func ordinary(rule, w string) bool {
	return slices.Contains(ordinaryNames, rule) && strings.HasPrefix(path.Base(w), "*")
}

// credentialStores are the directories among them: already a listing of one
// shows which keys there are.
var credentialStores = strings.Fields(`.ssh .aws .azure .gnupg .password-store .config/gcloud .kube .local/share/keyrings Library/Keychains
	.mozilla .config/google-chrome .config/chromium .config/BraveSoftware`)

func credentialPatterns(more []string) (files, stores []string) {
	files = slices.Concat(credentialFiles, browserStores, more, ordinaryNames, takenBack(more))
	stores = slices.Concat(credentialStores, browserStores, takenBack(more))
	return files, stores
}

func compileCredentials(more []string, home string) (files, stores pattern.Paths) {
	names, listed := credentialPatterns(more)
	return compileNames(names, home), compileNames(listed, home)
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
// operand of the command names, in whatever it can become and from every
// directory that the text may be in.
func (f *facts) credential(dirs []string) string {
	dirs = append([]string{f.session.place.Cwd}, dirs...)
	if rule := f.credentialIn(&f.command, dirs); rule != "" {
		return rule
	}
	for _, inner := range f.coverage().Inner {
		if rule := f.credentialIn(inner, dirs); rule != "" {
			return rule
		}
	}
	return ""
}

func (f *facts) credentialIn(c *shell.Command, dirs []string) string {
	passesOn := f.passesOn(c)
	if rule, hit := f.filteredNames(c); hit {
		return rule
	}
	for i := range c.Simples {
		s := &c.Simples[i]
		if len(s.Words) == 0 {
			continue
		}
		if prints[s.Words[0]] {
			if rule, hit := f.listed(s, dirs); hit {
				return rule
			}
			continue
		}
		files := &f.policy.credentials
		finds := passesOn && namesOnly[s.Words[0]]
		grouped := finds && slices.Contains(s.Words, "(")
		if namesOnly[s.Words[0]] && !finds {
			files = &f.policy.stores
		}
		look := lookup{f: f, rules: files, dirs: dirs, fills: f.printsFiles(s.Words)}
		follows := !namesOnly[s.Words[0]] && (s.Words[0] != "git" || slices.ContainsFunc(s.Words, func(w string) bool { return gitFollows[w] }))
		for j := 1; j < len(s.Words); j++ {
			if finds && !grouped && leftOut(s.Words, j) || s.Words[0] == "[[" && !looksUp[s.Words[j-1]] {
				continue
			}
			look.opened = follows || s.Words[0] == "git" && gitMayOpen(s.Words, j)
			texts, ok := s.Values(j)
			if !ok {
				texts = append(texts, s.Words[j]) // what is written behind an unknown part
			}
			for _, w := range texts {
				if rule, hit := look.word(w); hit && !f.policy.table.Pattern(s.Words, j) && !f.policy.table.Text(s.Words, j) {
					return rule
				}
				if rule, hit := f.gitPattern(s, j, w); hit {
					return rule
				}
				if finds && j > 1 && pathsFound[s.Words[j-1]] {
					if rule, hit := f.wildName(w); hit {
						return rule
					}
				}
			}
			if pattern, ok := f.policy.table.ChosenNames(s.Words, j); ok && (finds || !namesOnly[s.Words[0]]) {
				if rule, hit := f.chosenName(pattern); hit {
					return rule
				}
				if rule, hit := f.chosenBelow(s.Words, pattern); hit {
					return rule
				}
			}
		}
	}
	return ""
}

// passesOn reports whether the names that some command of the text prints are
// handed on to another program, which may look into the files.
func (f *facts) passesOn(c *shell.Command) bool {
	for i := range c.Simples {
		if words := c.Simples[i].Words; len(words) > 0 && (f.policy.table.Name(words[0]) == "xargs" || slices.Contains(words, "-exec")) {
			return true
		}
	}
	return false
}

// leftOut reports whether a word of find is a pattern for names that it leaves
// out, where no further negation turns that round; a group could.
func leftOut(words []string, i int) bool {
	return i > 2 && namesFound[words[i-1]] && negates[words[i-2]] && !negates[words[i-3]]
}

// looksUp are the operators of [[ ]] that are followed by a file; other words of
// it are only compared.
var looksUp = wordSet("-e -f -d -L -r -w -x -s")

var negates = wordSet("! -not")

// namesFound are the tests of find that are followed by a pattern whose stars
// match a leading dot; pathsFound are those whose stars match slashes as well.
var (
	namesFound = wordSet("-name -iname -path -ipath")
	pathsFound = wordSet("-path -ipath")
)

// listed looks at the names that a program prints because the shell fills them
// in: of a directory with credentials already these say much.
func (f *facts) listed(s *shell.Simple, dirs []string) (string, bool) {
	look := lookup{f: f, rules: &f.policy.stores, dirs: dirs}
	for j := range s.Words {
		if s.Literal(j) {
			continue
		}
		texts, _ := s.Values(j)
		for _, w := range texts {
			if !strings.ContainsAny(w, "*?[") {
				continue
			}
			if rule, hit := look.value(w); hit {
				return rule, true
			}
		}
	}
	return "", false
}

// printsFiles reports whether the operands of a command are files, so that a
// pattern among them stands for those that are there.
func (f *facts) printsFiles(words []string) bool {
	return words[0] != "git" && (f.policy.table.Files(words) || f.policy.table.StdinData(words))
}

// gitFollows are the words with which git reads the files of its operands. Of
// other links it reads the link.
var gitFollows = wordSet("hash-object apply am mailinfo patch-id interpret-trailers stripspace column --no-index")

// gitMayOpen reports whether a word of git may be the value of an option, which
// may name a file.
func gitMayOpen(words []string, i int) bool {
	before := words[i-1]
	return len(words[i]) > 1 && words[i][0] == '-' || len(before) > 1 && before[0] == '-' && before != "--"
}

// tooMany stands for a rule where not every operand was looked at.
const tooMany = "?"

// lookup looks for credentials in the words of one command.
type lookup struct {
	f      *facts
	rules  *pattern.Paths
	dirs   []string
	opened bool // the word may be a file, which may be a link
	fills  bool // operands are files, so that patterns among them can be filled in
}

func (l lookup) word(w string) (string, bool) {
	if rule, hit := l.inCluster(w); hit {
		return rule, true
	}
	if value, attached := optionValue(w); attached {
		w = value
	} else if strings.HasPrefix(w, "-") {
		return "", false
	} else if name, value, ok := strings.Cut(w, "="); ok && isVariableName(name) { // if=FILE
		if rule, hit := l.value(value); hit {
			return rule, true
		}
	}
	if rule, hit := l.labelled(w); hit {
		return rule, true
	}
	return l.value(w)
}

func isVariableName(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// inCluster looks at what may be attached to the last letter of a cluster.
func (l lookup) inCluster(w string) (string, bool) {
	if len(w) < 4 || w[0] != '-' || w[1] == '-' {
		return "", false
	}
	for i := 3; i < min(len(w), maxCluster); i++ {
		if w[i-1] == 'f' {
			if rule, hit := l.value(w[i:]); hit {
				return rule, true
			}
		} else if rule, hit := l.f.matchCredential(l.rules, w[i:]); hit {
			return rule, true
		}
	}
	return "", false
}

// maxCluster bounds the letters of a cluster behind which a value is looked for.
const maxCluster = 8

// value looks at an operand, or at the value of an option.
func (l lookup) value(w string) (string, bool) {
	if address, ok := fileInWord(w); ok {
		if path := filePath(address); path != w {
			if rule, hit := l.value(path); hit {
				return rule, true
			}
		}
	}
	wild := strings.ContainsAny(w, "*?[{")
	if !wild && !l.opened && !strings.ContainsAny(w, "./_~") {
		return "", false
	}
	if rule, hit := l.f.matchCredential(l.rules, w); hit {
		return rule, true
	}
	for _, dir := range l.dirs {
		for _, through := range throughProcess(w, dir, l.dirs, nil) {
			if rule, hit := l.f.matchCredential(l.rules, through); hit {
				return rule, true
			}
		}
		if rule, hit := l.at(w, dir, wild); hit {
			return rule, true
		}
	}
	return "", false
}

// at looks at what the word is from a directory: as it is joined, where links
// lead, and which files a pattern names.
func (l lookup) at(w, dir string, wild bool) (string, bool) {
	if !l.opened || wild && !l.fills || strings.ContainsAny(w, "$`") {
		return "", false
	}
	key := opening{dir, w, l.rules}
	switch {
	case l.f.opened[key]:
		return "", false
	case len(l.f.opened) == maxShellWords:
		return tooMany, true
	case l.f.opened == nil:
		l.f.opened = map[opening]bool{}
	}
	l.f.opened[key] = true
	if wild {
		return l.filled(w, dir)
	}
	return l.opens(w, dir)
}

// opens compares a file with the rules, by its name and by where it leads.
func (l lookup) opens(w, dir string) (string, bool) {
	t := l.f.locateAt(w, dir)
	switch {
	case errors.Is(t.err, errTooManyLookups):
		return tooMany, true
	case t.err != nil:
		return "", false
	}
	for _, path := range [...]string{t.abs, t.resolved.Path} {
		if rule, hit := l.rules.Match(path); hit {
			return rule.Pattern, true
		}
	}
	return "", false
}

// filled looks at the files that are there for a pattern. Where they cannot all
// be seen, the answer is that there are too many to look at.
func (l lookup) filled(w, dir string) (string, bool) {
	forms, all := shell.Braces(w)
	if !all {
		return tooMany, true
	}
	for _, form := range forms {
		if !strings.ContainsAny(form, "*?[") {
			if rule, hit := l.opens(form, dir); hit {
				return rule, true
			}
			continue
		}
		abs, err := l.f.placeAt(dir).Absolute(form)
		if err != nil || l.f.session.pathsMode == PathsLexical {
			return tooMany, true
		}
		names, all := l.f.lookups.glob(abs)
		for _, name := range names {
			if rule, hit := l.opens(name, dir); hit {
				return rule, true
			}
		}
		if !all {
			return tooMany, true
		}
	}
	return "", false
}

// opening is one operand that was looked up, under the rules that it was
// compared with: listing a link is not reading it.
type opening struct {
	dir, word string
	rules     *pattern.Paths
}

// optionValue returns what may be a path in an option: behind the sign, or
// behind the letter.
func optionValue(w string) (string, bool) {
	if !strings.HasPrefix(w, "-") {
		name, value, ok := strings.Cut(w, "=")
		return value, ok && strings.HasPrefix(value, "@") && !strings.Contains(name, "/")
	}
	if _, value, ok := strings.Cut(w, "="); ok {
		return value, true
	}
	if len(w) > 2 && w[1] != '-' {
		return w[2:], true
	}
	return "", false
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
	if !strings.ContainsAny(w, "*?[{") {
		return f.matchForms(files, []string{w})
	}
	key := credentialWord{files, w}
	switch {
	case f.nowhere[key]:
		return "", false
	case len(f.nowhere) == maxCredentialWords:
		return tooMany, true
	}
	forms, all := shell.Braces(w)
	if f.wildForms += len(forms); !all || f.wildForms > maxCredentialForms {
		return tooMany, true
	}
	if rule, hit := f.matchForms(files, forms); hit {
		return rule, true
	}
	if f.nowhere == nil {
		f.nowhere = map[credentialWord]bool{}
	}
	f.nowhere[key] = true
	return "", false
}

// credentialWord is a word that was compared with the names of credentials.
type credentialWord struct {
	files *pattern.Paths
	word  string
}

// maxCredentialWords and maxCredentialForms bound the patterns of one call that are
// compared so, and what their braces make of them.
const (
	maxCredentialWords = 256
	maxCredentialForms = 512
)

func (f *facts) matchForms(files *pattern.Paths, forms []string) (string, bool) {
	for _, alternative := range forms {
		for _, name := range [...]string{alternative, alternative[strings.LastIndexAny(alternative, ":@")+1:]} {
			if rule, hit := files.Match(name); hit {
				return rule.Pattern, true
			}
		}
		if strings.ContainsAny(alternative, "*?[") || strings.Contains(alternative, "{") && strings.Contains(alternative, "..") {
			if rule, hit := files.Overlaps(bracesToStars(alternative)); hit && !ordinary(rule.Pattern, alternative) {
				return rule.Pattern, true
			}
		}
	}
	return "", false
}

// namesOnly are programs that show that a file exists, not what is in it.
var namesOnly = wordSet("ls stat test [ [[ du df basename dirname realpath readlink which mkdir touch file tree find")

// prints are programs whose operands are no paths.
var prints = wordSet("echo printf")
