package programs

import "strings"

// landers name what further programs write, from the words behind their names.
var landers = map[string]func(words []string) []string{
	"ar": landAr, "gcc-ar": landAr, "llvm-ar": landAr,
	"7z": landPacked, "7za": landPacked, "7zr": landPacked, "7zz": landPacked, "rar": landPacked,
	"crontab": landCrontab, "at": landAt, "batch": landAt, "systemctl": landUnits,
	"awk": landAwk, "gawk": landAwk, "mawk": landAwk, "nawk": landAwk, "original-awk": landAwk,
}

// landAr names the archive that ar changes: the operand behind the letters,
// or behind the member that some letters name in between.
func landAr(words []string) []string {
	for len(words) > 0 && strings.HasPrefix(words[0], "--") {
		words = words[1:]
	}
	if len(words) < 2 || !strings.ContainsAny(words[0], "rqdms") {
		return nil
	}
	if strings.ContainsAny(words[0], "abi") {
		return words[1:min(len(words), 3)]
	}
	return words[1:2]
}

// landPacked names the archive that 7z or rar writes.
func landPacked(words []string) []string {
	var operands []string
	for _, w := range words {
		if !strings.HasPrefix(w, "-") {
			operands = append(operands, w)
		}
	}
	if len(operands) < 2 || !packs[operands[0]] {
		return nil
	}
	return operands[1:2]
}

// packs are the commands of these programs that change the archive.
var packs = wordSet("a u d rn m f")

// landAwk names the files that an awk program prints to: texts behind ">", and
// what the words set a variable to that stands there.
func landAwk(words []string) []string {
	var landed distinct
	sets := map[string][]string{} // what the words set variables to: -v NAME=VALUE
	for _, w := range words {
		if name, value, ok := strings.Cut(strings.TrimPrefix(w, "-v"), "="); ok {
			sets[name] = append(sets[name], value)
		}
	}
	for _, w := range words {
		for rest := w; ; {
			_, behind, ok := strings.Cut(rest, ">")
			if !ok {
				break
			}
			rest = behind
			target := strings.TrimLeft(behind, "> \t(")
			if strings.HasPrefix(target, `"`) {
				if text, _, closed := strings.Cut(target[1:], `"`); closed && text != "" {
					landed.add(text)
				}
				continue
			}
			end := 0
			for end < len(target) && isNameByte(target[end]) {
				end++
			}
			landed.add(sets[target[:end]]...)
		}
	}
	return landed.list
}

func isNameByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
