//go:build unix && !linux

package inspect

import "errors"

// accessACL is not determined here.
func (h *handle) accessACL() (PosixACL, error) { return nil, errors.ErrUnsupported }

// fillXattrs: access lists and capabilities are not determined here.
func (h *handle) fillXattrs(*Facts, *procDir) {}

// procDir is only needed where attributes are read.
type procDir struct{ many bool }

func (*procDir) close() {}
