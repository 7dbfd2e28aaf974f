package inspect

import "strconv"

// permissionMask selects the nine bits that say who may read, write and
// execute. Type, setuid, setgid and sticky live above it.
const permissionMask uint32 = 0o777

const (
	bitGroupRead  uint32 = 0o040
	bitGroupWrite uint32 = 0o020
	bitWorldRead  uint32 = 0o004
	bitWorldWrite uint32 = 0o002
)

// ModeBits returns the nine permission bits of a mode, nil for an unknown mode.
func ModeBits(mode *uint32) *uint32 {
	if mode == nil {
		return nil
	}
	bits := *mode & permissionMask
	return &bits
}

// FormatOctal writes bits in base 8 with at least three digits, "unknown" for
// nil. Bits above 0777 are kept.
func FormatOctal(bits *uint32) string {
	if bits == nil {
		return "unknown"
	}
	text := strconv.FormatUint(uint64(*bits), 8)
	for len(text) < 3 {
		text = "0" + text
	}
	return text
}

// FormatMode writes the permission bits of a mode in base 8 with three digits.
func FormatMode(mode uint32) string { return FormatOctal(ModeBits(&mode)) }

// IsWorldWritable reports whether everybody may write. Unknown bits say no.
func IsWorldWritable(bits *uint32) bool { return hasBit(bits, bitWorldWrite) }

// IsGroupWritable reports whether the group may write. Unknown bits say no.
func IsGroupWritable(bits *uint32) bool { return hasBit(bits, bitGroupWrite) }

// IsWorldReadable reports whether everybody may read. Unknown bits say no.
func IsWorldReadable(bits *uint32) bool { return hasBit(bits, bitWorldRead) }

// IsGroupReadable reports whether the group may read. Unknown bits say no.
func IsGroupReadable(bits *uint32) bool { return hasBit(bits, bitGroupRead) }

func hasBit(bits *uint32, bit uint32) bool { return bits != nil && *bits&bit != 0 }
