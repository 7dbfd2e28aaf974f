package decide

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

// Text is a value as the original engine's language prints it (Python's str),
// since the engine compared such texts: True, None, 5, 1.0, ['a'], {'a': 1}.
func (v Value) Text() string {
	if v.kind == String {
		return v.text
	}
	var b strings.Builder
	v.writeRepr(&b)
	return b.String()
}

func (v Value) writeRepr(b *strings.Builder) {
	switch v.kind {
	case Absent:
	case Null:
		b.WriteString("None")
	case Bool:
		b.WriteString(strings.ToUpper(v.text[:1]) + v.text[1:])
	case Number:
		b.WriteString(numberText(v.text))
	case String:
		writeQuoted(b, v.text)
	case List, Object:
		open, end := "[", "]"
		if v.kind == Object {
			open, end = "{", "}"
		}
		b.WriteString(open)
		for i, m := range v.members {
			if i > 0 {
				b.WriteString(", ")
			}
			if v.kind == Object {
				writeQuoted(b, m.Name)
				b.WriteString(": ")
			}
			m.Value.writeRepr(b)
		}
		b.WriteString(end)
	}
}

// numberText prints an integer with all its digits and any other number as
// the shortest text that gives the same double.
func numberText(digits string) string {
	if !strings.ContainsAny(digits, ".eE") {
		if len(digits) > 4300 { // Python refuses such a number
			return digits
		}
		if i, ok := new(big.Int).SetString(digits, 10); ok {
			return i.String()
		}
		return digits
	}
	x, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		if strings.HasPrefix(digits, "-") {
			return "-inf"
		}
		return "inf"
	}
	shortest := strconv.FormatFloat(x, 'e', -1, 64)
	exponent, _ := strconv.Atoi(shortest[strings.IndexByte(shortest, 'e')+1:])
	if exponent < -4 || exponent >= 16 {
		return shortest
	}
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

func writeQuoted(b *strings.Builder, s string) {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	b.WriteByte(quote)
	for _, r := range s {
		switch {
		case r == rune(quote) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			b.WriteString(`\x` + hexDigits(r, 2))
		case r < 0x10000:
			b.WriteString(`\u` + hexDigits(r, 4))
		default:
			b.WriteString(`\U` + hexDigits(r, 8))
		}
	}
	b.WriteByte(quote)
}

func hexDigits(r rune, width int) string {
	digits := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", width-len(digits)) + digits
}
