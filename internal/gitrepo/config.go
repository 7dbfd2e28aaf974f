package gitrepo

import "strings"

// setting is one "name = value" of a configuration file.
type setting struct {
	section    string // lower case
	subsection string
	name       string // lower case
	value      string
}

// settings calls yield with each setting of a configuration file, in order. Git
// stops at a line that it cannot read and runs nothing then; this reader goes on
// with the next line, so it finds at least what git does.
func settings(text string, yield func(setting)) {
	s := setting{}
	for text != "" {
		text = strings.TrimLeft(text, " \t\r\n\v\f\uFEFF")
		if text == "" {
			return
		}
		switch text[0] {
		case '#', ';':
			text = nextLine(text)
		case '[':
			text = s.header(text)
		default:
			text = s.pair(text, yield)
		}
	}
}

func nextLine(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return rest
}

// header reads [section], [section "subsection"] or [section.subsection] and
// returns the text behind it.
func (s *setting) header(text string) string {
	end := strings.IndexAny(text, "]\"\n")
	if end < 0 {
		return ""
	}
	name := strings.TrimSpace(text[1:end])
	var sub []byte
	if text[end] == '"' {
		quoted := text[end+1:]
		for quoted != "" && quoted[0] != '"' && quoted[0] != '\n' {
			if quoted[0] == '\\' && len(quoted) > 1 && quoted[1] != '\n' {
				quoted = quoted[1:]
			}
			sub = append(sub, quoted[0])
			quoted = quoted[1:]
		}
		text, end = quoted, strings.IndexAny(quoted, "]\n")
		if end < 0 {
			return ""
		}
	} else if before, after, ok := strings.Cut(name, "."); ok {
		name, sub = before, []byte(after)
	}
	*s = setting{section: strings.ToLower(name), subsection: string(sub)}
	if text[end] == '\n' {
		return text[end:]
	}
	return text[end+1:]
}

// pair reads "name = value" or "name" and returns the text behind its line.
func (s *setting) pair(text string, yield func(setting)) string {
	end := strings.IndexAny(text, "=\n#;")
	if end < 0 {
		end = len(text)
	}
	one := *s
	one.name = strings.ToLower(strings.TrimSpace(text[:end]))
	if end == len(text) || text[end] != '=' {
		yield(one)
		return nextLine(text)
	}
	given := text[end+1:]
	one.value, text = value(given, false)
	yield(one)
	// Some versions of git turn each blank inside a value into a space.
	if spaced, _ := value(given, true); spaced != one.value {
		one.value = spaced
		yield(one)
	}
	return text
}

// value reads a value: quotes and escapes are resolved, blanks at its ends and
// comments outside of quotes are dropped, and a line that ends in a backslash
// goes on.
func value(text string, spaced bool) (v, rest string) {
	var b strings.Builder
	var blanks []byte
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n':
			return b.String(), text[i+1:]
		case c == '\r' && strings.HasPrefix(text[i+1:], "\n"):
		case !quoted && (c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'):
			if spaced {
				c = ' '
			}
			if b.Len() > 0 {
				blanks = append(blanks, c)
			}
		case !quoted && (c == '#' || c == ';'):
			return b.String(), nextLine(text[i:])
		case c == '"':
			quoted = !quoted
		case c == '\\':
			b.Write(blanks)
			blanks = blanks[:0]
			i++
			for i < len(text) && text[i] == '\r' {
				i++
			}
			if i == len(text) {
				return b.String(), ""
			}
			if text[i] != '\n' {
				b.WriteByte(escaped(text[i]))
			}
		default:
			b.Write(blanks)
			blanks = blanks[:0]
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

func escaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}
