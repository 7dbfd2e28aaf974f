package shell

import (
	"strconv"
	"strings"
)

// rangeWords expands the first braces of a word that are a range like {a..c}; a
// word without one gives nothing.
func rangeWords(word string) (words []string) {
	for from := 0; ; {
		length := strings.IndexByte(word[from:], '}')
		if length < 0 {
			return nil
		}
		end := from + length
		if open := strings.LastIndexByte(word[from:end], '{'); open >= 0 {
			open += from
			for _, value := range ranged(word[open+1 : end]) {
				words = append(words, word[:open]+value+word[end+1:])
			}
			if len(words) > 0 {
				return words
			}
		}
		from = end + 1
	}
}

// ranged returns the values of a range such as a..e or 1..9..2; none if it is
// no range, or one of too many.
func ranged(s string) (values []string) {
	parts := strings.Split(s, "..")
	if len(parts) < 2 || len(parts) > 3 {
		return nil
	}
	from, to, ok := rangeEnds(parts[0], parts[1])
	if !ok {
		return nil
	}
	step, width := 1, 0
	if len(parts) == 3 {
		n, err := strconv.Atoi(parts[2])
		if err != nil || n > maxRange || n < -maxRange {
			return nil
		}
		step = max(1, n, -n)
	}
	letters := len(parts[0]) == 1 && (parts[0][0] < '0' || parts[0][0] > '9')
	for _, end := range parts[:2] { // 01..10 has leading zeros
		if digits := strings.TrimLeft(end, "-+"); len(digits) > 1 && digits[0] == '0' {
			width = max(width, len(parts[0]), len(parts[1]))
		}
	}
	for n := range (max(from, to)-min(from, to))/step + 1 {
		value := from + n*step
		if to < from {
			value = from - n*step
		}
		switch {
		case len(values) == maxRange:
			return nil
		case letters:
			values = append(values, string(rune(value)))
		case width > 0 && value >= 0:
			text := strconv.Itoa(value)
			values = append(values, strings.Repeat("0", max(0, width-len(text)))+text)
		default:
			values = append(values, strconv.Itoa(value))
		}
	}
	return values
}

// maxRange bounds the values of a range.
const maxRange = 256

func rangeEnds(a, b string) (from, to int, ok bool) {
	if len(a) == 1 && len(b) == 1 && isASCIILetter(a[0]) && isASCIILetter(b[0]) {
		return int(a[0]), int(b[0]), true
	}
	from, err1 := strconv.Atoi(a)
	to, err2 := strconv.Atoi(b)
	return from, to, err1 == nil && err2 == nil && max(from, -from, to, -to) < 1<<30
}

func isASCIILetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
