package shell

import (
	"unicode"
	"unicode/utf8"
)

const (
	// MaxText is the longest text, in bytes, that is read. No person writes a
	// longer command, and nobody who is asked about one would see its end.
	MaxText = 10_000

	// maxCommands bounds the commands of a text, for the same reason.
	maxCommands = 500

	// maxDepth bounds constructs inside constructs; beyond it a person cannot
	// tell what a text does, and the second reader recurses without a limit.
	maxDepth = 32
)

// readable refuses what two shells, or a shell and a person, would read
// differently, and reports whether the text is made of plain words only.
func readable(text string) (plain bool, why string) {
	if len(text) > MaxText {
		return false, "the text is longer than 10,000 bytes"
	}
	plain = true
	for i := 0; i < len(text); {
		b := text[i]
		if plainBytes[b] {
			i++
			continue
		}
		plain = false
		r, size := rune(b), 1
		if b >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		switch {
		case r == utf8.RuneError:
			return false, "the text is not valid UTF-8"
		case r == '\r':
			return false, "the text holds a carriage return"
		case r < ' ' && r != '\t' && r != '\n' || r == 0x7f:
			return false, "the text holds a control character"
		case r >= utf8.RuneSelf && !unicode.IsPrint(r):
			return false, "the text holds an invisible character or an unusual blank"
		}
		i += size
	}
	return plain, ""
}

// plainBytes make up plain words and the separators between commands.
var plainBytes = func() (set [256]bool) {
	const bytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \n;&|_./:,@%+-="
	for i := range len(bytes) {
		set[bytes[i]] = true
	}
	return set
}()
