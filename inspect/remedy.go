package inspect

import (
	"os"
	"path/filepath"
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
// list when that was the source, else with the mode. Control characters of the
// path are escaped, all else is verbatim.
func FormatDetail(path string, r Report) string {
	shown := Escape(path)
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
	noteLink    = "the path is a link: this changes what it points to"
	noteShared  = "for a directory that is meant to be shared use mode 1777 instead"
	noteSpecial = "this also clears setuid and setgid"
	noteACL     = "an access list is present: chmod changes its mask, not the list; look at it with getfacl and remove single entries with setfacl -x"
	noteOwner   = "only the owner or root can do this"
	noteEscaped = "the path holds control or hidden characters, written as octal escapes"
	noteICACLS  = "replaces inherited access by full access for the user and SYSTEM"
)

// suggest proposes how to reach the required mode, or nil.
func suggest(path string, r Report, st Stat, opts Options) *Remediation {
	if !r.OK || r.Error != "" {
		return nil
	}
	switch r.Source {
	case SourceWindowsACL:
		return suggestReset(path, r, opts)
	case SourcePOSIX:
		return suggestChmod(path, r, st, opts)
	}
	return nil
}

func suggestReset(path string, r Report, opts Options) *Remediation {
	if !(r.WorldWritable || r.WorldReadable || r.GroupWritable || r.GroupReadable) {
		return nil
	}
	cmd := Reset{Path: path, IsDir: r.IsDir, Env: opts.Env, OSUser: opts.OSUser}.Command()
	if cmd == nil {
		return nil
	}
	return &Remediation{Command: cmd.Display, Argv: append([]string{cmd.Command}, cmd.Args...), Note: noteICACLS}
}

func suggestChmod(path string, r Report, st Stat, opts Options) *Remediation {
	mode := requiredMode(r, opts)
	if r.Bits == nil || *r.Bits&^mode == 0 || !mayChmod(path, r, opts) {
		return nil
	}
	return &Remediation{
		Command: FormatChmod(path, mode),
		Argv:    ChmodArgv(path, mode),
		Note:    strings.Join(chmodNotes(path, r, st), "; "),
	}
}

func requiredMode(r Report, opts Options) uint32 {
	switch {
	case opts.RequiredMode != 0:
		return opts.RequiredMode & chmodMask
	case r.IsDir:
		return defaultDirMode
	}
	return defaultFileMode
}

// mayChmod keeps suggestions away from objects that others depend on, where the
// change would do more harm than the open mode, and from file systems where it
// cannot work.
func mayChmod(path string, r Report, opts Options) bool {
	sharedDir := r.IsDir && is(r.Facts.Sticky) && r.WorldWritable
	device := r.Facts.Kind == KindCharDevice || r.Facts.Kind == KindBlockDevice
	if sharedDir || device || is(r.Facts.ReadOnly) {
		return false
	}
	at := resolved(path)
	topLevel := r.IsDir && strings.Count(at, "/") == 1
	if at == "" || topLevel || within(at, "/dev", "/proc", "/sys") {
		return false
	}
	return opts.RequiredMode != 0 || !within(at, systemTrees...)
}

// systemTrees are public on purpose: the default of a private mode is wrong for
// them, so a change needs a mode that somebody asked for.
var systemTrees = []string{"/bin", "/boot", "/etc", "/lib", "/lib32", "/lib64", "/sbin", "/usr", "/System", "/Library", "/private/etc"}

func resolved(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	at, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return ""
	}
	return at
}

func within(path string, trees ...string) bool {
	for _, tree := range trees {
		if path == tree || strings.HasPrefix(path, tree+"/") {
			return true
		}
	}
	return false
}

func chmodNotes(path string, r Report, st Stat) []string {
	rows := []struct {
		when bool
		note string
	}{
		{true, noteWhat},
		{r.IsSymlink, noteLink},
		{r.IsDir && r.WorldWritable, noteShared},
		{!r.IsDir && (is(r.Facts.Setuid) || is(r.Facts.Setgid)), noteSpecial},
		{is(r.Facts.ExtendedACL), noteACL},
		{st.UID != nil && os.Geteuid() != 0 && classOf(*st.UID) != OwnerSelf, noteOwner},
		{strings.HasPrefix(ShellQuote(path), "$"), noteEscaped},
	}
	var notes []string
	for _, row := range rows {
		if row.when {
			notes = append(notes, row.note)
		}
	}
	return notes
}

func is(fact *bool) bool { return fact != nil && *fact }
