package inspect

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"strconv"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

const maxMountinfo = 4 << 20

// mountCache keeps what a batch has learned of mounts, for a moment. Only unique
// numbers are kept: an older one may be given to another mount.
type mountCache map[uint64]knownMount

type knownMount struct {
	mount  *Mount
	source string
}

// mount says where the open object lies. What is returned is shared.
func (h *handle) mount(seen mountCache) (*Mount, string) {
	if !h.uniqueID || seen == nil {
		return h.readMount()
	}
	m, ok := seen[h.mountID]
	if !ok {
		m.mount, m.source = h.readMount()
		seen[h.mountID] = m
	}
	return m.mount, m.source
}

// readMount asks the kernel. The flags are the mount's and the file system's
// together.
func (h *handle) readMount() (*Mount, string) {
	var fs unix.Statfs_t
	err := unix.Fstatfs(h.fd, &fs)
	for err == unix.EINTR {
		err = unix.Fstatfs(h.fd, &fs)
	}
	if err != nil {
		return nil, fromUnknown
	}
	m := &Mount{
		ReadOnly: boolFact(fs.Flags&unix.ST_RDONLY != 0),
		NoExec:   boolFact(fs.Flags&unix.ST_NOEXEC != 0),
		NoSuid:   boolFact(fs.Flags&unix.ST_NOSUID != 0),
		NoDev:    boolFact(fs.Flags&unix.ST_NODEV != 0),
	}
	if h.hasMountID {
		m.ID = strconv.FormatUint(h.mountID, 10)
	}
	if h.uniqueID && m.fromStatmount(h.mountID) && !needsOptions(m.Type) {
		m.describe("", "")
		return m, "fstatfs, statmount"
	}
	if line, ok := h.mountLine(); ok {
		m.Type, m.Root, m.Point = line.kind, line.root, line.point
		m.Bind = isBind(m.Type, m.Root)
		m.describe(line.source, line.options)
		return m, "fstatfs, mountinfo"
	}
	if m.Type == "" {
		m.Type = typeByMagic[int64(fs.Type)]
	}
	m.describe("", "")
	return m, "fstatfs"
}

// lookAtMount says on what kind of file system the directory of a step lies: in
// full when a user's access is asked, else only whether a program serves it,
// which devices of their own exclude.
func (w *walker) lookAtMount(p *position, s *step) {
	switch {
	case w.lists:
		s.mount, _ = p.dir.mount(w.mounts)
	case unix.Major(p.dir.device) != 0 || !p.dir.isFUSE():
		return
	default:
		s.mount, _ = p.dir.mount(w.mounts)
	}
	if s.mount != nil {
		s.servedBy = s.mount.ServedBy
	}
}

func (h *handle) isFUSE() bool {
	var fs unix.Statfs_t
	return unix.Fstatfs(h.fd, &fs) == nil && fs.Type == unix.FUSE_SUPER_MAGIC
}

// typeByMagic names the types that matter when nothing but the number is known.
var typeByMagic = map[int64]string{
	unix.NFS_SUPER_MAGIC: "nfs", unix.SMB_SUPER_MAGIC: "smbfs", unix.CIFS_SUPER_MAGIC: "cifs", unix.SMB2_SUPER_MAGIC: "smb3",
	unix.AFS_SUPER_MAGIC: "afs", unix.CODA_SUPER_MAGIC: "coda", 0x00c36400: "ceph", unix.V9FS_MAGIC: "9p",
	unix.FUSE_SUPER_MAGIC: "fuse", unix.OVERLAYFS_SUPER_MAGIC: "overlay", unix.TMPFS_MAGIC: "tmpfs",
	unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs",
	unix.MSDOS_SUPER_MAGIC: "vfat", unix.EXFAT_SUPER_MAGIC: "exfat", 0x786f4256: "vboxsf",
	unix.PROC_SUPER_MAGIC: "proc", unix.SYSFS_MAGIC: "sysfs", unix.RAMFS_MAGIC: "ramfs",
	unix.SQUASHFS_MAGIC: "squashfs", unix.ISOFS_SUPER_MAGIC: "iso9660",
}

// The layout of statmount(2).
const (
	statmountWants   = 0x2 | 0x8 | 0x10 | 0x20 | 0x100 // basics, root, point, type, subtype
	statmountStrings = 512
	statmountMask    = 8
	statmountType    = 36
	statmountRoot    = 104
	statmountPoint   = 108
	statmountSubtype = 120
)

// noStatmount remembers that the system has no such call, or a sandbox that
// forbids it.
var noStatmount atomic.Bool

type statmountRequest struct {
	size, _   uint32
	id, param uint64
}

func (m *Mount) fromStatmount(id uint64) bool {
	if noStatmount.Load() {
		return false
	}
	req := statmountRequest{size: 24, id: id, param: statmountWants}
	var space [2048]byte
	buf := space[:]
	_, _, errno := unix.Syscall6(unix.SYS_STATMOUNT, uintptr(unsafe.Pointer(&req)), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)), 0, 0, 0)
	if errno == unix.EOVERFLOW {
		buf = make([]byte, 16<<10)
		_, _, errno = unix.Syscall6(unix.SYS_STATMOUNT, uintptr(unsafe.Pointer(&req)), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)), 0, 0, 0)
	}
	if errno == unix.ENOSYS || errno == unix.EPERM {
		noStatmount.Store(true)
	}
	if errno != 0 {
		return false
	}
	mask := binary.NativeEndian.Uint64(buf[statmountMask:])
	text := func(bit uint64, at int) string {
		if mask&bit == 0 {
			return ""
		}
		from := statmountStrings + int(binary.NativeEndian.Uint32(buf[at:]))
		if from >= len(buf) {
			return ""
		}
		end := bytes.IndexByte(buf[from:], 0)
		if end < 0 {
			return ""
		}
		return string(buf[from : from+end])
	}
	m.Type, m.Root, m.Point = text(0x20, statmountType), text(0x8, statmountRoot), text(0x10, statmountPoint)
	if subtype := text(0x100, statmountSubtype); subtype != "" {
		m.Type += "." + subtype
	}
	m.Bind = isBind(m.Type, m.Root)
	return m.Type != ""
}

// mountLine reads the mount's line in the table of this process, whose numbers
// are the older ones.
func (h *handle) mountLine() (mountLine, bool) {
	var raw unix.Statx_t
	err := unix.Statx(h.fd, "", unix.AT_EMPTY_PATH|unix.AT_NO_AUTOMOUNT, unix.STATX_MNT_ID, &raw)
	if err != nil || raw.Mask&unix.STATX_MNT_ID == 0 {
		return mountLine{}, false
	}
	text, ok := mountTable()
	if !ok {
		return mountLine{}, false
	}
	return mountinfoLine(text, raw.Mnt_id)
}

func mountTable() (string, bool) {
	f, err := os.Open("/proc/thread-self/mountinfo")
	if err != nil {
		return "", false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxMountinfo))
	return string(text), err == nil
}

// mountPointOf finds the mount on which a path lies by the text of both, without
// a look at the path; "" when it is not known.
func mountPointOf(path string) string {
	text, _ := mountTable()
	return deepestMount(text, path)
}
