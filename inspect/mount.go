package inspect

import (
	"strconv"
	"strings"
)

// Mount says on what kind of file system an object lies, as far as that changes
// what its permissions mean. A nil field is not known.
type Mount struct {
	// ID as the object's identity has it, "" when not known.
	ID   string `json:"id,omitempty"`
	Type string `json:"type"` // the kernel's name, such as ext4 or fuse.sshfs; "" when not known
	// Point is where it is mounted, Root which part of the file system.
	Point    string `json:"point,omitempty"`
	Root     string `json:"root,omitempty"`
	ReadOnly *bool  `json:"read_only"`
	NoExec   *bool  `json:"noexec"`
	NoSuid   *bool  `json:"nosuid"`
	NoDev    *bool  `json:"nodev"`
	// Network: the other side decides about access, and may map owners.
	Network *bool `json:"network"`
	FUSE    *bool `json:"fuse"`
	Overlay *bool `json:"overlay"`
	// Bind: a part of a file system is mounted here. A bind of a whole one
	// cannot be told from the mount itself.
	Bind *bool `json:"bind"`
	// SyntheticModes: the mode bits are made up by the mount's options and
	// changing them changes nothing.
	SyntheticModes *bool `json:"synthetic_modes"`
	// ServedBy is the user whose program serves a FUSE mount: it sees and decides
	// everything on it, whatever modes and owners it shows.
	ServedBy *uint32 `json:"served_by,omitempty"`

	decides decider
	only    *uint32 // FUSE: nobody but this user may enter, not even root
}

// decider says who answers when access to something on a mount is asked for.
type decider int

const (
	byModes decider = iota
	// byModesFirst: the kernel refuses by the modes, and whom it lets pass someone
	// else may refuse.
	byModesFirst
	bySomeoneElse
)

// answer is what the modes' answer is worth on this mount. Nothing is known of a
// nil mount; modes decide on most.
func (m *Mount) answer(who *Subject, byMode *bool) *bool {
	switch {
	case m == nil:
		return byMode
	case m.only != nil && *m.only != who.UID:
		return &no
	case m.decides == bySomeoneElse, m.decides == byModesFirst && is(byMode):
		return nil
	}
	return byMode
}

// mountTraits is what follows from the name of a file system. A type that is not
// listed is taken for a local one that keeps modes; a nil trait depends on what
// the options say.
type mountTraits struct{ network, synthetic *bool }

var traitsOf = map[string]mountTraits{
	"nfs": {&yes, &no}, "nfs4": {&yes, &no}, "ceph": {&yes, &no}, "afs": {&yes, &yes}, "lustre": {&yes, &no},
	"gpfs": {&yes, &no}, "beegfs": {&yes, &no}, "orangefs": {&yes, &no}, "coda": {&yes, &no}, "glusterfs": {&yes, &no},
	"cifs": {&yes, nil}, "smb3": {&yes, nil}, "smbfs": {&yes, &yes}, "ncpfs": {&yes, &yes}, "webdav": {&yes, &yes},
	"afpfs": {&yes, nil}, "davfs": {&yes, &yes},
	"9p": {nil, nil}, "drvfs": {&no, nil}, "virtiofs": {&no, nil}, "fakeowner": {&no, &yes},
	"vboxsf": {&no, &yes}, "vmhgfs": {&no, &yes}, "hgfs": {&no, &yes}, "prl_fs": {&no, &yes},
	"vfat": {&no, &yes}, "msdos": {&no, &yes}, "exfat": {&no, &yes}, "hfs": {&no, &yes}, "ntfs": {&no, &yes},
	"ntfs3": {&no, nil}, "iso9660": {&no, nil}, "udf": {&no, nil},
	"fuseblk": {&no, nil}, "fuse": {nil, nil},
	"fuse.sshfs": {&yes, nil}, "fuse.s3fs": {&yes, &yes}, "fuse.rclone": {&yes, &yes}, "fuse.gcsfuse": {&yes, &yes},
	"fuse.goofys": {&yes, &yes}, "fuse.glusterfs": {&yes, &no}, "fuse.ceph": {&yes, &no}, "fuse.juicefs": {&yes, &no},
	"fuse.grpcfuse": {&no, &yes}, "fuse.osxfs": {&no, &yes}, "fuse.vmhgfs-fuse": {&no, &yes},
	"fuse.lxcfs": {&no, &no}, "fuse.fuse-overlayfs": {&no, &no}, "fuse.gocryptfs": {&no, &no}, "fuse.bindfs": {&no, nil},
	"fuse.portal": {&no, &yes},
}

// keepModes are the options with which a file system that usually makes modes up
// stores them.
var keepModes = map[string][]string{
	"9p":    {"metadata"}, // of a drive
	"drvfs": {"metadata"},
	"cifs":  {"unix", "posix", "cifsacl", "modefromsid"},
	"smb3":  {"unix", "posix", "cifsacl", "modefromsid"},
}

// describe fills in what type, source and options of a mount say.
func (m *Mount) describe(source, options string) {
	traits, listed := traitsOf[m.Type]
	fuse := m.Type == "fuse" || m.Type == "fuseblk" || m.Type == "virtiofs" || strings.HasPrefix(m.Type, "fuse.")
	switch {
	case m.Type == "":
		m.decides = bySomeoneElse
		return
	case !listed && fuse:
		traits = mountTraits{nil, nil}
	case !listed:
		traits = mountTraits{&no, &no}
	}
	m.FUSE = boolFact(fuse)
	m.Overlay = boolFact(m.Type == "overlay" || m.Type == "fuse.fuse-overlayfs")
	m.Network, m.SyntheticModes = traits.network, traits.synthetic
	if options != "" && traits.synthetic == nil {
		m.SyntheticModes = syntheticByOptions(m.Type, options)
	}
	if m.Type == "9p" && isDrive(source, options) {
		m.Network = &no
	}
	m.decides = m.decider()
	if fuse && m.Type != "virtiofs" {
		m.served(options)
	}
}

// decider of everything but FUSE. The kernel guards processes in /proc by other
// rules than modes.
func (m *Mount) decider() decider {
	if !isKnown(m.Network, false) || m.Type == "proc" {
		return bySomeoneElse
	}
	return byModes
}

// served reads what a FUSE mount says of who may use it. Without options nothing
// is known.
func (m *Mount) served(options string) {
	m.decides = bySomeoneElse
	open := options == ""
	for option := range strings.SplitSeq(options, ",") {
		switch name, value, _ := strings.Cut(option, "="); name {
		case "user_id":
			if uid, err := strconv.ParseUint(value, 10, 32); err == nil {
				m.ServedBy = known(uint32(uid))
			}
		case "default_permissions":
			m.decides = byModesFirst
		case "allow_other":
			open = true
		}
	}
	if !open {
		m.only = m.ServedBy
	}
}

// syntheticByOptions reads the options of a mount whose type leaves it open.
func syntheticByOptions(kind, options string) *bool {
	keep, decides := keepModes[kind]
	if !decides {
		return nil
	}
	if kind == "9p" && !isDrive("", options) {
		return nil // a virtual machine's share: depends on the host
	}
	for option := range strings.FieldsFuncSeq(options, func(r rune) bool { return r == ',' || r == ';' }) {
		for _, k := range keep {
			if option == k {
				return &no
			}
		}
	}
	return &yes
}

// isDrive reports a Windows drive inside a Linux system for Windows.
func isDrive(source, options string) bool {
	return strings.Contains(options, "aname=drvfs") ||
		len(source) >= 2 && isLetter(source[0]) && source[1] == ':'
}

// needsOptions reports the types whose options change what modes mean.
func needsOptions(kind string) bool {
	traits, listed := traitsOf[kind]
	return strings.HasPrefix(kind, "fuse") || listed && (traits.network == nil || traits.synthetic == nil)
}

// mountLine is one line of mountinfo.
type mountLine struct{ root, point, kind, source, options string }

// mountinfoLine finds the line of a mount. Lines may be anything.
func mountinfoLine(text string, id uint64) (mountLine, bool) {
	want := strconv.FormatUint(id, 10)
	for line := range strings.Lines(text) {
		first, rest, _ := strings.Cut(line, " ")
		if first != want {
			continue
		}
		before, after, ok := strings.Cut(rest, " - ")
		head, tail := strings.Fields(before), strings.Fields(after)
		if !ok || len(head) < 4 || len(tail) < 2 {
			return mountLine{}, false
		}
		m := mountLine{root: unescapeMount(head[2]), point: unescapeMount(head[3]), kind: tail[0], source: unescapeMount(tail[1])}
		if len(tail) > 2 {
			m.options = tail[2]
		}
		return m, true
	}
	return mountLine{}, false
}

// deepestMount is the mount point in a table that the text of a path lies below,
// the longest if there are several. Lines may be anything.
func deepestMount(table, path string) string {
	deepest := ""
	for line := range strings.Lines(table) {
		if f := strings.Fields(line); len(f) > 4 {
			point := unescapeMount(f[4])
			if len(point) > len(deepest) && (point == "/" || below(path, point)) {
				deepest = point
			}
		}
	}
	return deepest
}

// unescapeMount undoes the octal escapes for white space and backslashes.
func unescapeMount(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				out.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// isBind reports a mount of a part. Subvolumes of btrfs look the same and are
// none.
func isBind(kind, root string) *bool {
	if root == "" || kind == "btrfs" || kind == "zfs" || kind == "nsfs" || strings.HasPrefix(kind, "cgroup") || strings.HasPrefix(kind, "nfs") {
		return nil
	}
	return boolFact(root != "/")
}
