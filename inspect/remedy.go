package inspect

import (
	"strconv"
	"strings"
)

// Remediation is a suggestion that a person may run. Argv is exact; Command is
// the same for a shell, and empty when the path cannot be shown in one safely.
type Remediation struct {
	Command string   `json:"command"`
	Argv    []string `json:"argv"`
	Note    string   `json:"note"`
}

// FormatDetail is the one line that sums a report up: the path with the access
// list when that was the source, else with the mode. Control and hidden
// characters of the path are escaped, all else is verbatim.
func FormatDetail(path string, r Report) string {
	shown := showName(path)
	if r.Source != SourceWindowsACL {
		return shown + " mode=" + FormatOctal(r.Bits)
	}
	if r.ACLSummary == nil {
		return shown + " acl=unknown"
	}
	return shown + " acl=" + Escape(*r.ACLSummary)
}

const (
	defaultFileMode uint32 = 0o600
	defaultDirMode  uint32 = 0o700
	chmodMask       uint32 = 0o7777
)

// ChmodArgv is the command that gives path the mode, with a guard before a path
// that reads as an option. Bits that chmod does not know are dropped.
func ChmodArgv(path string, mode uint32) []string {
	mode &= chmodMask
	argv := []string{"chmod", FormatOctal(&mode)}
	if strings.HasPrefix(path, "-") {
		argv = append(argv, "--")
	}
	return append(argv, path)
}

// FormatChmod is [ChmodArgv] as one line for a POSIX shell.
func FormatChmod(path string, mode uint32) string { return ShellJoin(ChmodArgv(path, mode)) }

// ShellJoin writes words as one line that a shell splits into the same words.
func ShellJoin(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = ShellQuote(w)
	}
	return strings.Join(quoted, " ")
}

const bareWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"

// ShellQuote writes one shell word: bare when no shell gives any of its
// characters a meaning, in single quotes otherwise. A word with characters that
// a terminal would obey or hide is written with octal escapes in $'…', which
// bash, zsh, ksh and POSIX.1-2024 shells read.
func ShellQuote(word string) string {
	switch {
	case word == "":
		return "''"
	case strings.ContainsFunc(word, isHidden) || !validUTF8(word):
		return dollarQuote(word)
	case strings.Trim(word, bareWord) == "" && strings.IndexByte(word, '=') != 0:
		// A leading "=" would be replaced by the path of a program in zsh.
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func dollarQuote(word string) string {
	var out strings.Builder
	out.WriteString("$'")
	for i, r := range word {
		switch {
		case r == '\'' || r == '\\':
			out.WriteString(`\` + string(r))
		case isHidden(r) || r == '\ufffd':
			writeOctal(&out, word[i:i+runeWidth(word[i:])])
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('\'')
	return out.String()
}

// writeOctal escapes bytes. Three octal digits end by themselves, whatever
// follows; hexadecimal escapes do not in every shell.
func writeOctal(out *strings.Builder, bytes string) {
	for i := range len(bytes) {
		digits := strconv.FormatUint(uint64(bytes[i]), 8)
		out.WriteString(`\` + strings.Repeat("0", 3-len(digits)) + digits)
	}
}

// Notes of a suggestion, in the order in which they are given.
const (
	noteWhat    = "takes away access that the required mode does not allow"
	noteLink    = "the path leads through a link: this names what it leads to now"
	noteShared  = "for a directory that is meant to be shared use mode 1777 instead"
	noteSpecial = "this also clears setuid and setgid"
	noteACL     = "an access list is present, of which chmod would only change the mask: this takes the list away (single entries: setfacl -x)"
	noteExec    = "the owner can no longer execute it"
	noteOwner   = "only the owner or root can do this"
	noteEscaped = "the path holds control or hidden characters, written as octal escapes"
	noteICACLS  = "replaces inherited access by full access for the user and SYSTEM"
)

// suggest proposes how to reach the required mode, or nil. Where something is to
// be repaired and no command is safe, a finding says why.
func (x *examination) suggest() *Remediation {
	if x.report.Error != "" {
		return nil
	}
	switch x.report.Source {
	case SourceWindowsACL:
		return suggestReset(x.path, x.report, x.opts)
	case SourcePOSIX, SourceSynthetic:
		return x.suggestMode()
	}
	return nil
}

func suggestReset(path string, r *Report, opts *Options) *Remediation {
	if !(r.WorldWritable || r.WorldReadable || r.GroupWritable || r.GroupReadable) || inAppContainer() {
		return nil
	}
	cmd := Reset{Path: path, IsDir: r.IsDir, Env: opts.Env, OSUser: opts.OSUser}.Command()
	if cmd == nil {
		return nil
	}
	return &Remediation{Command: cmd.Display, Argv: append([]string{cmd.Command}, cmd.Args...), Note: noteICACLS}
}

// suggestMode proposes chmod, or setfacl where an access list stands behind the
// bits: chmod would change its mask only.
func (x *examination) suggestMode() *Remediation {
	if x.excess == 0 {
		return nil
	}
	if why := x.noCommand(); why != "" {
		x.add(FindNoFix, SeverityInfo, "no command is suggested: "+why)
		return nil
	}
	argv := ChmodArgv(x.where(), x.mode)
	if is(x.report.Facts.ExtendedACL) {
		argv = SetfaclArgv(x.where(), x.mode)
	}
	return &Remediation{Command: ShellJoin(argv), Argv: argv, Note: strings.Join(x.notes(), "; ")}
}

// SetfaclArgv is the command that takes the access list of path away and leaves
// the permissions of mode, which are at most 0777.
func SetfaclArgv(path string, mode uint32) []string {
	perms := func(shift int) string { return Perms(mode >> shift & 7).String() }
	base := "u::" + perms(6) + ",g::" + perms(3) + ",o::" + perms(0)
	argv := []string{"setfacl", "-b", "-m", base}
	if strings.HasPrefix(path, "-") {
		argv = append(argv, "--")
	}
	return append(argv, path)
}

// where is the path that a command names. A command must not follow a link that
// may lead elsewhere by the time it runs.
func (x *examination) where() string {
	if x.chain.followed {
		return x.chain.real
	}
	return x.path
}

func requiredMode(r *Report, opts *Options) uint32 {
	if opts.RequiredMode != 0 {
		return opts.RequiredMode & chmodMask
	}
	if rule := opts.Profile.rule(); rule != nil {
		return rule.required(&r.Facts)
	}
	if r.IsDir {
		return defaultDirMode
	}
	return defaultFileMode
}

// noCommand says why no command may be suggested: others depend on the object,
// the change would do more harm than the open mode, or it cannot work or last.
func (x *examination) noCommand() string {
	r, f := x.report, &x.report.Facts
	real := x.chain.real
	// What the owner reads today it must be able to read afterwards.
	lost := *r.Bits &^ x.mode & 0o700
	rule := x.opts.Profile.rule()
	asked := x.opts.RequiredMode != 0 || rule != nil && !r.IsDir && within(real, keyTrees...)
	for _, row := range []struct {
		when bool
		why  string
	}{
		{real == "", "where the path leads is not known for certain"},
		{rule != nil && f.Kind != rule.kind, "the profile is about another kind of object"},
		{r.IsDir && is(f.Sticky) && r.WorldWritable, "the directory is shared on purpose, others depend on it"},
		{f.Kind == KindCharDevice || f.Kind == KindBlockDevice, "devices belong to the system"},
		{f.Managed != "", "the path is managed: the change would not last"},
		{f.Mount != nil && is(f.Mount.SyntheticModes), "the modes are made up by the mount"},
		{is(f.ReadOnly), "the file system is read-only"},
		{is(f.Immutable), "the object is immutable"},
		{r.IsDir && strings.Count(real, "/") == 1, "the directory belongs to the system"},
		{within(real, "/dev", "/proc", "/sys"), "the path belongs to the system"},
		{!asked && within(real, systemTrees...), "the path belongs to the system, whose programs may need the mode that it has; to get a command, say which mode is required"},
		{lost&0o400 != 0 || r.IsDir && lost&0o100 != 0, "it would lock the owner out"},
		{x.locksReaderOut(), "user " + number(x.asUser().UID) + ", for whom the path is judged, could no longer read it"},
	} {
		if row.when {
			return row.why
		}
	}
	return ""
}

// locksReaderOut: a profile is about a file that its user has to read, and the
// user can today, but not by the mode that would be set.
func (x *examination) locksReaderOut() bool {
	if !is(x.read) {
		return false
	}
	after := *x.object
	after.mode = after.mode&^permissionMask | x.mode
	who := x.asUser()
	return !is(grantOf(&who, &after, nil, true)(PermRead))
}

// systemTrees hold files that all programs read, and some that a few of them share
// (/etc/shadow and its group): the default of a mode for the owner alone is wrong
// for them, so a change needs a mode that somebody asked for.
var (
	systemTrees = []string{"/bin", "/boot", "/etc", "/lib", "/lib32", "/lib64", "/sbin", "/usr", "/System", "/Library", "/private/etc"}
	// keyTrees are those in which keys are kept, for which a profile asks for a mode.
	keyTrees = []string{"/etc", "/Library", "/private/etc"}
)

func within(path string, trees ...string) bool {
	for _, tree := range trees {
		if path == tree || strings.HasPrefix(path, tree+"/") {
			return true
		}
	}
	return false
}

func (x *examination) notes() []string {
	r, f := x.report, &x.report.Facts
	rows := []struct {
		when bool
		note string
	}{
		{true, noteWhat},
		{x.chain.followed, noteLink},
		{r.IsDir && r.WorldWritable, noteShared},
		{!r.IsDir && (is(f.Setuid) || is(f.Setgid)), noteSpecial},
		{is(f.ExtendedACL), noteACL + x.losers()},
		{*r.Bits&^x.mode&0o100 != 0 && !r.IsDir, noteExec},
		{x.view.uid != 0 && f.Owner != nil && f.Owner.Class != OwnerSelf, noteOwner},
		{strings.HasPrefix(ShellQuote(x.where()), "$"), noteEscaped},
	}
	var notes []string
	for _, row := range rows {
		if row.when {
			notes = append(notes, row.note)
		}
	}
	return notes
}

// losers names who has access by the list.
func (x *examination) losers() string {
	who := x.report.Facts.ACL.named()
	if len(who) == 0 {
		return ""
	}
	return ", and the access of " + strings.Join(who, ", ") + " with it"
}
