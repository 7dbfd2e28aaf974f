package inspect

import "golang.org/x/sys/unix"

const (
	flagImmutable  = 0x00000002 | 0x00020000 // by the user, by the system
	flagAppendOnly = 0x00000004 | 0x00040000
)

func fillFlags(o *object, raw *unix.Stat_t) {
	o.birthSec, o.birthNsec, o.hasBirth = raw.Btim.Sec, uint32(raw.Btim.Nsec), true
	o.immutable = boolFact(raw.Flags&flagImmutable != 0)
	o.appendOnly = boolFact(raw.Flags&flagAppendOnly != 0)
}
