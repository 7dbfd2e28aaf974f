package policyfile

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/programs"
)

// keys is the whole policy file. The order is that of the starter and of the
// printed policy.
func keys(f *File) []key {
	s := &f.Spec
	modes := decide.ModeNames()
	return []key{
		{
			name: "version", value: number{&f.version, 1, 1}, active: true,
			doc:     "The version of this format.",
			example: `version: 1`,
		},
		{
			name: "mode", value: text{&s.Mode, append(modes, "auto")}, active: true,
			doc: `How much a session that names no mode may do without asking.
discuss, plan: reads only
interactive: reads run, the rest asks unless a list below vouches for it
auto-approve: as interactive, and a reviewer may clear what would be asked
custom: as interactive, and auto_allow_tools run
bypass-approvals: everything runs, except what a floor refuses`,
			example: `mode: interactive`,
		},
		{
			name: "max_mode", value: text{&s.MaxMode, append(modes, "auto")},
			doc:     `The most permissive mode that a session may ask for. Default: the mode above.`,
			example: `max_mode: interactive`,
		},
		{
			name: "roots", value: list[decide.RootSpec]{&s.Roots, rootKeys, true},
			doc: `The directories that tools may use. A session's roots must lie inside them.
Default: each session names its own. writable is false unless it is given.`,
			example: `roots:
  - path: ~/projects
    writable: true
  - path: /usr/share/doc`,
		},
		{
			name: "allowed_commands", value: texts{at: &s.AllowedCommands},
			doc: `Commands that run without asking, as prefixes of whole words: no wildcards.
Every command of a line must be on the list. An interpreter or wrapper alone
vouches for nothing: name the script or the program behind it as well.`,
			example: `allowed_commands:
  - git status
  - git diff
  - go test`,
		},
		{
			name: "command_matching", value: text{&s.CommandMatching, []string{"strict", "precise"}},
			doc: `How much of the shell's language the list above may vouch for.
strict: plain words, and no operator even inside quotes
precise: quotes, redirections to /dev/null, wrappers, loops over files (for f in ./*.go: a
name must not begin with a dash) and more,
each only as good as the commands in it (docs/shell.md)`,
			example: `command_matching: strict`,
		},
		{
			name: "programs", value: list[programs.Spec]{at: &s.Programs, keys: programKeys},
			doc: `What the options and subcommands of further programs do, so that an entry of
allowed_commands vouches for no more than it should; of known programs, what else
asks. pdp's own table is internal/programs/programs.txt, which explains the words.`,
			example: `programs:
  - names: [acme]
    writes: [--out, -o]
    runs: [--hook, exec]
  - names: [git]
    publishes: [send-email]`,
		},
		{
			name: "allowed_domains", value: texts{at: &s.AllowedDomains},
			doc: `Domains, with their subdomains, that may be fetched without asking. A scheme,
port or path narrows an entry.`,
			example: `allowed_domains:
  - docs.python.org
  - https://go.dev/doc`,
		},
		{
			name: "auto_allow_tools", value: texts{at: &s.AutoAllowTools},
			doc: `Tools that run without asking in custom mode.`,
			example: `auto_allow_tools:
  - write_file`,
		},
		{
			name: "standing_rules", value: byName[[]string]{&s.StandingRules, func(list *[]string) value { return texts{at: list} }},
			doc: `Targets for which a tool with an outside effect runs without asking, compared
exactly.`,
			example: `standing_rules:
  send_message:
    - "#builds"`,
		},
		{
			name: "risk_overrides", value: list[override]{at: &f.overrides, keys: overrideKeys},
			doc: `Risk classes for tools by name pattern; the most specific pattern wins. A class
milder than the tool's own is ignored. Classes, mildest first: ` + strings.Join(decide.RiskNames(), ", ") + `.`,
			example: `risk_overrides:
  - pattern: mcp__docs__*
    risk: read`,
		},
		{
			name: "tools", value: byName[decide.ToolSpec]{&s.Tools, func(t *decide.ToolSpec) value { return object{keys: toolKeys(t)} }},
			doc: `What tools do that the built-in catalogue does not know. target_arg is the
argument that a standing rule binds, path_args hold paths: those that a write
tool writes, each of which must be there, or those that another tool looks at.
Dots lead into objects, [] into lists.`,
			example: `tools:
  deploy_preview:
    risk: external
    target_arg: environment
  save_files:
    risk: write_local
    path_args:
      - files[].path`,
		},
		{
			name: "unknown_tools", value: text{&s.UnknownTools, []string{"external", "deny", "read"}},
			doc: `What to do with a tool that nobody classifies: external asks (and is denied in
modes that only read), deny denies, read lets it run.`,
			example: `unknown_tools: external`,
		},
		{
			name: "deny", value: object{keys: listKeys(&s.Deny)},
			doc: `Floors: these are denied in every mode, whatever the lists above allow. Tools
are name patterns, commands are prefixes, domains cover their subdomains, paths
are patterns as in .gitignore, for reading and writing alike.`,
			example: `deny:
  commands:
    - git push
  paths:
    - .env
    - "*.pem"`,
		},
		{
			name: "ask", value: object{keys: listKeys(&s.Ask)},
			doc: `Floors as above: these are asked about in every mode.`,
			example: `ask:
  tools:
    - gmail_*
  domains:
    - pastebin.com`,
		},
		{
			name: "protected_paths", value: texts{at: &s.ProtectedPaths},
			doc: `Files and directories that govern what is permitted. No tool may write them.
The service's own files are always among them. Whole paths, or ones from ~; no
patterns.`,
			example: `protected_paths:
  - ~/.config/agent/settings.json`,
		},
		{
			name: "deferred_execution", value: list[decide.PatternSpec]{at: &s.DeferredExecution, keys: patternKeys},
			doc: `Files that run on a later action: a person is asked before they are written.
These come after a built-in list (git hooks, CI workflows, shell start-up files,
…): a pattern adds to it, one with ! in front takes back, a group adds a built-in
group that is off.`,
			example: `deferred_execution:
  - pattern: deploy/*.sh
    reason: runs on the next deployment
  - pattern: "!docs/AGENTS.md"
  - group: project_build_files`,
		},
		{
			name: "persistent_authority_tools", value: texts{at: &s.PersistentAuthorityTools},
			doc: `Tools whose effect outlives the session: a person is asked each time. These add
to a built-in list.`,
			example: `persistent_authority_tools:
  - install_plugin`,
		},
		{
			name: "inline_context", value: text{&s.InlineContext, []string{"narrow", "trust", "deny"}},
			doc: `What a context that comes with a request may do: narrow lets it only make things
stricter, trust lets it add to the lists above, deny refuses it.`,
			example: `inline_context: narrow`,
		},
		{
			name: "paths", value: text{&s.Paths, []string{"local", "lexical"}},
			doc: `local: the service sees the same files as the tools. lexical: it does not, so
that links cannot be followed and paths are judged by their text.`,
			example: `paths: local`,
		},
		{
			name: "lexical_writes", value: text{&s.LexicalWrites, []string{"ask", "trust"}},
			doc: `With paths: lexical, whether a write below a root still asks (a link could lead
elsewhere) or is trusted.`,
			example: `lexical_writes: ask`,
		},
		{
			name: "allow_private_networks", value: texts{at: &s.AllowPrivateNetworks},
			doc: `Private addresses, networks and names (below local, internal, lan and their
like) that may be fetched. Others ask, and cloud metadata addresses are denied.`,
			example: `allow_private_networks:
  - 192.168.10.0/24
  - localhost`,
		},
		{
			name: "inspect", value: object{keys: inspectKeys(&f.Inspect)},
			doc: `Directories whose permissions callers without a credential may have inspected,
beside their session's roots. Default: all, or none if the service runs as root.`,
			example: `inspect:
  allowed_roots:
    - /srv`,
		},
		{
			name: "reviewer", value: object{keys: reviewerKeys(&f.Reviewer)},
			doc: `A service that sees what would be asked in auto-approve mode, unless only a person
may answer, and can say allow, deny or unsure. See docs/sessions.md.`,
			example: `reviewer:
  url: https://reviewer.example.com/verdict
  timeout: 20s
  secret_file: /run/secrets/pdp-reviewer # signs what it is sent`,
		},
		{
			name: "audit", value: object{keys: auditKeys(&f.Audit)},
			doc: `How decisions, grants and approvals are written down. With mode sync an answer
comes after its record is on disk; async can lose the last 100 ms in a crash. If
the log cannot be written, no decision is given, unless on_failure is answer.
See docs/audit.md.`,
			example: `audit:
  mode: async
  on_failure: refuse
  redact: [/arguments/headers/X-Customer] # beside what looks like a secret
  body_bytes: 256 # kept of a long text
  checkpoint_every: 1000 # records between two signatures
  checkpoint_interval: 1m # the longest that a record waits for one
  retention: 0 # or 90d`,
		},
		{
			name: "limits", value: object{keys: limitKeys(&f.Limits)},
			doc: `What the service takes on. These are read at start.`,
			example: `limits:
  body_bytes: 1048576
  concurrency: 256
  request_timeout: 10s
  decision_timeout: 2s
  unauthenticated_per_second: 5000 # 0: no limit
  sessions_per_caller: 50000
  session_bytes_per_caller: 67108864
  drain_timeout: 20s`,
		},
		{
			name: "allowed_hosts", value: texts{at: &f.AllowedHosts, check: checkHost},
			doc: `Names beside localhost under which clients address this service. A request for
another name is refused, so that no web page can reach the service through a
name of its own.`,
			example: `allowed_hosts:
  - pdp.internal
  - pdp.internal:8443`,
		},
	}
}

func rootKeys(r *decide.RootSpec) []key {
	return []key{
		{name: "path", value: text{at: &r.Path}, required: true},
		{name: "writable", value: flag{&r.Writable}},
	}
}

func overrideKeys(o *override) []key {
	return []key{
		{name: "pattern", value: text{at: &o.pattern}, required: true},
		{name: "risk", value: text{&o.risk, decide.RiskNames()}, required: true},
	}
}

func patternKeys(p *decide.PatternSpec) []key {
	return []key{
		{name: "pattern", value: optional{&p.Pattern}},
		{name: "reason", value: optional{&p.Reason}},
		{name: "group", value: optional{&p.Group}},
	}
}

func toolKeys(t *decide.ToolSpec) []key {
	return []key{
		{name: "risk", value: text{&t.Risk, decide.RiskNames()}, required: true},
		{name: "target_arg", value: optional{&t.TargetArg}},
		{name: "path_args", value: texts{at: &t.PathArgs}},
	}
}

func programKeys(p *programs.Spec) []key {
	keys := []key{{name: "names", value: texts{at: &p.Names}, required: true}}
	for _, name := range programs.Attributes() {
		keys = append(keys, key{name: name, value: attribute{p, name}})
	}
	return keys
}

func listKeys(l *decide.ListsSpec) []key {
	return []key{
		{name: "tools", value: texts{at: &l.Tools}},
		{name: "commands", value: texts{at: &l.Commands}},
		{name: "domains", value: texts{at: &l.Domains}},
		{name: "paths", value: texts{at: &l.Paths}},
	}
}

func inspectKeys(i *Inspect) []key {
	return []key{{name: "allowed_roots", value: texts{at: &i.AllowedRoots, nilOpen: true, check: checkRoot}}}
}

func reviewerKeys(r *Reviewer) []key {
	return []key{
		{name: "url", value: checked{optional{&r.URL}, checkReviewer}},
		{name: "timeout", value: duration{&r.Timeout, 100 * time.Millisecond, 2 * time.Minute}},
		{name: "secret", value: secret{&r.Secret}},
		{name: "secret_file", value: checked{optional{&r.SecretFile}, checkRoot}},
	}
}

// checkReviewer accepts the address of a web service.
func checkReviewer(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return quote(s) + " is no address of a web service; write https://host/path"
	case u.User != nil:
		return "holds a password; use secret_file"
	}
	return ""
}

func auditKeys(a *Audit) []key {
	return []key{
		{name: "mode", value: text{&a.Mode, []string{"async", "sync"}}},
		{name: "on_failure", value: text{&a.OnFailure, []string{"refuse", "answer"}}},
		{name: "redact", value: texts{at: &a.Redact, check: audit.CheckPointer}},
		{name: "body_bytes", value: number{&a.BodyBytes, 0, audit.MaxBody}},
		{name: "checkpoint_every", value: number{&a.CheckpointEvery, 1, 1_000_000}},
		{name: "checkpoint_interval", value: duration{&a.CheckpointInterval, time.Second, 24 * time.Hour}},
		{name: "retention", value: days{&a.Retention}},
	}
}

func limitKeys(l *Limits) []key {
	return []key{
		{name: "body_bytes", value: number{&l.BodyBytes, 1 << 10, 1 << 20}},
		{name: "concurrency", value: number{&l.Concurrency, 1, 1 << 16}},
		{name: "request_timeout", value: duration{&l.RequestTimeout, 100 * time.Millisecond, 10 * time.Minute}},
		{name: "decision_timeout", value: duration{&l.DecisionTimeout, 100 * time.Millisecond, time.Minute}},
		{name: "unauthenticated_per_second", value: number{&l.UnauthenticatedPerSecond, 0, 1_000_000}},
		{name: "sessions_per_caller", value: number{&l.SessionsPerCaller, 1, 1_000_000}},
		{name: "session_bytes_per_caller", value: number{&l.SessionBytesPerCaller, 1 << 20, 1 << 30}},
		{name: "drain_timeout", value: duration{&l.DrainTimeout, time.Second, time.Hour}},
	}
}

// checkHost accepts a host name or address, perhaps with a port.
func checkHost(s string) string {
	switch {
	case s == "":
		return "is empty; remove it"
	case len(s) > 261: // a name of 253, a colon and a port
		return "is too long for a host name"
	case strings.Contains(s, "/"):
		return quote(s) + " is an address of a page; write the host alone, such as pdp.internal"
	case strings.ContainsAny(s, "*?"):
		return quote(s) + " holds a wildcard; write each host out"
	case strings.ContainsAny(s, " \t@\\,;\"'"):
		return quote(s) + " is no host name"
	}
	return ""
}

// checkRoot accepts an absolute path of any operating system, or one below the
// service's own home.
func checkRoot(s string) string {
	drive := len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
	if strings.HasPrefix(s, "/") || s == "~" || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, `\\`) || drive {
		return ""
	}
	return quote(s) + " is not absolute; write the whole path, such as /srv, or start it with ~/"
}

// overrideValues turns the rows into the engine's form: values as JSON has them.
func overrideValues(rows []override) []decide.Value {
	var values []decide.Value
	for _, row := range rows {
		text, err := json.Marshal(map[string]string{"pattern": row.pattern, "risk": row.risk})
		if err != nil {
			continue // not for strings
		}
		v, err := decide.ParseValue(text)
		if err != nil {
			continue // not for what was just made; the row was UTF-8 already
		}
		values = append(values, v)
	}
	return values
}
