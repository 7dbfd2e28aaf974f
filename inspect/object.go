package inspect

// object is what the system said of one file system object in one breath. Fields
// that a system does not know are zero and their has… flag is false.
type object struct {
	mode, uid, gid uint32 // mode with the type
	links          uint64
	inode, device  uint64

	hasOwner bool

	mountID    uint64
	hasMountID bool
	uniqueID   bool // mountID is never reused, as statmount wants it

	birthSec  int64
	birthNsec uint32
	hasBirth  bool

	immutable, appendOnly *bool
	mountRoot             bool

	fileID string // Windows: volume and file number
}

func (o *object) kind() Kind {
	if kind, ok := kinds[o.mode&typeMask]; ok {
		return kind
	}
	return KindUnknown
}

func (o *object) isDir() bool  { return o.mode&typeMask == typeDir }
func (o *object) isLink() bool { return o.mode&typeMask == typeLink }

func (o *object) same(other *object) bool { return o.device == other.device && o.inode == other.inode }

// stat is the public view.
func (o *object) stat() Stat {
	st := Stat{OK: true, IsSymlink: o.isLink(), IsDir: o.isDir(), Mode: known(o.mode)}
	if o.hasOwner {
		st.UID, st.GID = known(o.uid), known(o.gid)
	}
	return st
}

// yes and no are what a fact points to.
var yes, no = true, false

func boolFact(v bool) *bool {
	if v {
		return &yes
	}
	return &no
}
