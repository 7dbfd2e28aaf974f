//go:build unix && !linux && !darwin

package inspect

func (h *handle) mount() (*Mount, string) { return nil, fromUnknown }
