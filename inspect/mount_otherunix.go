//go:build unix && !linux && !darwin

package inspect

func (h *handle) mount(mountCache) (*Mount, string) { return nil, fromUnknown }

// mountCache keeps nothing here.
type mountCache map[uint64]struct{}

func (*walker) lookAtMount(*position, *step) {}

func protectedLinks() bool { return false }
