package programs

import "strings"

// landers name what further programs write, from the words behind their names.
var landers = map[string]func(words []string) []string{
	"ar": landAr, "gcc-ar": landAr, "llvm-ar": landAr,
	"7z": landPacked, "7za": landPacked, "7zr": landPacked, "7zz": landPacked, "rar": landPacked,
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
	if len(operands) < 2 || !wordSet("a u d rn m f")[operands[0]] {
		return nil
	}
	return operands[1:2]
}

// landAwk names the files that an awk program prints to: texts behind ">", and
// what the words set a variable to that stands there.
func landAwk(words []string) (landed []string) {
	for _, w := range words {
		for rest := w; len(landed) < maxLanded; {
			_, behind, ok := strings.Cut(rest, ">")
			if !ok {
				break
			}
			rest = behind
			target := strings.TrimLeft(behind, "> \t(")
			if strings.HasPrefix(target, `"`) {
				if text, _, closed := strings.Cut(target[1:], `"`); closed && text != "" {
					landed = append(landed, text)
				}
				continue
			}
			end := 0
			for end < len(target) && isName(target[:end+1]) {
				end++
			}
			landed = append(landed, setTo(words, target[:end])...)
		}
	}
	return landed
}

// setTo returns what the words set a variable of awk to: -v NAME=VALUE.
func setTo(words []string, name string) (values []string) {
	for _, w := range words {
		if value, ok := strings.CutPrefix(strings.TrimPrefix(w, "-v"), name+"="); ok && name != "" {
			values = append(values, value)
		}
	}
	return values
}
