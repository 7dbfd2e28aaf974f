package inspect

import (
	"os"
	"slices"
	"sync"
)

// viewer is who inspects, and whom it trusts beside itself.
type viewer struct {
	uid     uint32
	trusted []uint32
}

func (o *Options) viewer() viewer { return viewer{uint32(os.Geteuid()), o.TrustedUIDs} }

// classOf compares an owner with the viewer.
func (v *viewer) classOf(uid uint32) OwnerClass {
	switch {
	case uid == v.uid:
		return OwnerSelf
	case uid == 0:
		return OwnerRoot
	case slices.Contains(v.trusted, uid):
		return OwnerTrusted
	}
	return OwnerOther
}

// classOfGroup compares a group with those of the process.
func (v *viewer) classOfGroup(gid uint32) OwnerClass {
	switch {
	case slices.Contains(ownGroups(), gid):
		return OwnerSelf
	case gid == 0:
		return OwnerRoot
	}
	return OwnerOther
}

// ownGroups are those of the process, which do not change while it runs.
var ownGroups = sync.OnceValue(func() []uint32 {
	gids := []uint32{uint32(os.Getegid())}
	all, err := os.Getgroups()
	if err != nil {
		return gids
	}
	for _, gid := range all {
		gids = append(gids, uint32(gid))
	}
	return gids
})
