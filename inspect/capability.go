package inspect

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Capabilities are what a program file gives to whoever runs it (Linux). A file
// without any has empty lists.
type Capabilities struct {
	Permitted   []string `json:"permitted"`
	Inheritable []string `json:"inheritable"`
	// Effective says that the permitted ones are active from the start.
	Effective bool `json:"effective"`
	// RootUID is the root of the user namespace in which they count.
	RootUID *uint32 `json:"root_uid,omitempty"`
}

// none reports a file that gives nothing.
func (c *Capabilities) none() bool { return len(c.Permitted)+len(c.Inheritable) == 0 }

var capabilityNames = []string{
	"chown", "dac_override", "dac_read_search", "fowner", "fsetid", "kill", "setgid", "setuid", "setpcap",
	"linux_immutable", "net_bind_service", "net_broadcast", "net_admin", "net_raw", "ipc_lock", "ipc_owner",
	"sys_module", "sys_rawio", "sys_chroot", "sys_ptrace", "sys_pacct", "sys_admin", "sys_boot", "sys_nice",
	"sys_resource", "sys_time", "sys_tty_config", "mknod", "lease", "audit_write", "audit_control", "setfcap",
	"mac_override", "mac_admin", "syslog", "wake_alarm", "block_suspend", "audit_read", "perfmon", "bpf",
	"checkpoint_restore",
}

func capabilityName(bit int) string {
	if bit < len(capabilityNames) {
		return "cap_" + capabilityNames[bit]
	}
	return fmt.Sprintf("cap_%d", bit) // newer than this program
}

// Layouts of security.capability: how many words for each set, and whether the
// root of a namespace follows.
var capabilityLayouts = map[uint32]struct {
	words   int
	hasRoot bool
}{
	0x01000000: {1, false},
	0x02000000: {2, false},
	0x03000000: {2, true},
}

const (
	capabilityRevision  uint32 = 0xff000000
	capabilityEffective uint32 = 0x000001
)

// ParseCapabilities reads the value of the attribute security.capability from
// bytes that may be anything.
func ParseCapabilities(b []byte) (Capabilities, error) {
	if len(b) < 4 {
		return Capabilities{}, errors.New("file capabilities: shorter than their header")
	}
	magic := binary.LittleEndian.Uint32(b)
	layout, ok := capabilityLayouts[magic&capabilityRevision]
	if !ok {
		return Capabilities{}, fmt.Errorf("file capabilities: revision %#x", magic&capabilityRevision)
	}
	size := 4 + 8*layout.words
	if layout.hasRoot {
		size += 4
	}
	if len(b) != size {
		return Capabilities{}, fmt.Errorf("file capabilities: %d bytes in place of %d", len(b), size)
	}
	c := Capabilities{Permitted: []string{}, Inheritable: []string{}, Effective: magic&capabilityEffective != 0}
	for word := range layout.words {
		pair := b[4+8*word:]
		c.Permitted = appendCapabilities(c.Permitted, binary.LittleEndian.Uint32(pair), 32*word)
		c.Inheritable = appendCapabilities(c.Inheritable, binary.LittleEndian.Uint32(pair[4:]), 32*word)
	}
	if layout.hasRoot {
		c.RootUID = known(binary.LittleEndian.Uint32(b[size-4:]))
	}
	return c, nil
}

func appendCapabilities(names []string, bits uint32, from int) []string {
	for i := range 32 {
		if bits&(1<<i) != 0 {
			names = append(names, capabilityName(from+i))
		}
	}
	return names
}
