//go:build unix && !linux && !darwin

package inspect

import "golang.org/x/sys/unix"

func fillFlags(*object, *unix.Stat_t) {}
