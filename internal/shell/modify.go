package shell

import (
	"strconv"
	"strings"
)

// Expansion returns what ${INNER} becomes by the value of its variable, where the
// text between the braces is NAME or NAME[INDEX] and an operation: of all elements
// together, each is changed, or some are taken. separators is the value of IFS.
func Expansion(inner, value, operation, separators string) string {
	name := strings.TrimSuffix(inner, operation)
	star := name == "*" || strings.HasSuffix(name, "[*]")
	if star || name == "@" || strings.HasSuffix(name, "[@]") {
		value = elements(name, value, operation)
		if star && separators != "" {
			value = strings.ReplaceAll(value, " ", separators[:1])
		}
		return value
	}
	return Modified(value, operation)
}

// Numbered returns an operation that takes a part of a value with its variables
// filled in. told is false if it cannot be known where the part begins.
func Numbered(operation string, value func(name string) string) (filled string, told bool) {
	if _, sign := Otherwise(operation); sign != 0 || !strings.HasPrefix(operation, ":") {
		return operation, true
	}
	fields := strings.SplitN(operation[1:], ":", 2)
	for i, field := range fields {
		name := strings.Trim(field, " ${}()")
		if n := nameLength(name); n > 0 && n == len(name) {
			fields[i] = value(name)
		}
	}
	_, err := strconv.Atoi(strings.Trim(fields[0], " ()"))
	return ":" + strings.Join(fields, ":"), err == nil || fields[0] == "" && len(fields) > 1
}

// elements does an operation for each word of a value, or takes some of them.
func elements(name, value, operation string) string {
	if operation == "" || len(value) > maxValueText {
		return value
	}
	words := strings.Fields(value)
	if operation[0] != ':' {
		for i, w := range words {
			words[i] = Modified(w, operation)
		}
		return strings.Join(words, " ")
	}
	first, second, ranged := strings.Cut(operation[1:], ":")
	from, err := strconv.Atoi(strings.Trim(first, " ()"))
	switch {
	case err != nil:
		return value
	case from < 0:
		from += len(words)
	case len(name) == 1: // $0 counts
		from--
	}
	from = min(max(from, 0), len(words))
	to := len(words)
	if n, err := strconv.Atoi(strings.Trim(second, " ()")); ranged && err == nil {
		to = min(to, from+max(n, 0))
	}
	return strings.Join(words[from:to], " ")
}

// Modified returns what an expansion ${NAME…} makes of a value: operation is
// what stands behind the name. One that is not read leaves the value as it is.
func Modified(value, operation string) string {
	const most = 512
	if operation == "" || len(value) > most || len(operation) > most {
		return value
	}
	rest := operation[1:]
	doubled := strings.HasPrefix(rest, operation[:1])
	switch operation[0] {
	case '#':
		return cutPattern(value, strings.TrimPrefix(rest, "#"), true, doubled)
	case '%':
		return cutPattern(value, strings.TrimPrefix(rest, "%"), false, doubled)
	case '/':
		return replaced(value, rest)
	case '^':
		if doubled {
			return strings.ToUpper(value)
		}
		return strings.ToUpper(value[:min(1, len(value))]) + value[min(1, len(value)):]
	case ',':
		if doubled {
			return strings.ToLower(value)
		}
		return strings.ToLower(value[:min(1, len(value))]) + value[min(1, len(value)):]
	case '@':
		switch rest {
		case "U":
			return strings.ToUpper(value)
		case "L":
			return strings.ToLower(value)
		case "u":
			return Modified(value, "^")
		}
	case ':':
		return substring(value, rest)
	}
	return value
}

// cutPattern removes the shortest, or longest, beginning or end that a pattern
// matches.
func cutPattern(value, pattern string, front, longest bool) string {
	for n := range len(value) + 1 {
		if longest {
			n = len(value) - n
		}
		switch {
		case front && matchesText(pattern, value[:n]):
			return value[n:]
		case !front && matchesText(pattern, value[len(value)-n:]):
			return value[:len(value)-n]
		}
	}
	return value
}

// replaced does /PATTERN/TEXT and its like.
func replaced(value, rest string) string {
	all := strings.HasPrefix(rest, "/")
	rest = strings.TrimPrefix(rest, "/")
	pattern, text, _ := strings.Cut(rest, "/")
	anchor := byte(0)
	if pattern != "" && (pattern[0] == '#' || pattern[0] == '%') {
		anchor, pattern = pattern[0], pattern[1:]
	}
	if pattern == "" {
		switch anchor {
		case '#':
			return text + value
		case '%':
			return value + text
		}
		return value
	}
	var b strings.Builder
	for at := 0; at < len(value); {
		end := -1
		for to := len(value); to > at && end < 0; to-- {
			if (anchor != '%' || to == len(value)) && (anchor != '#' || at == 0) && matchesText(pattern, value[at:to]) {
				end = to
			}
		}
		if end < 0 {
			b.WriteByte(value[at])
			at++
			continue
		}
		b.WriteString(text)
		if at = end; !all {
			b.WriteString(value[at:])
			break
		}
	}
	return b.String()
}

// substring does :OFFSET:LENGTH with plain numbers.
func substring(value, rest string) string {
	first, second, ranged := strings.Cut(rest, ":")
	from, err := strconv.Atoi(strings.Trim(first, " ()"))
	if err != nil && (first != "" || !ranged) {
		return value
	}
	if from < 0 {
		from += len(value)
	}
	from = min(max(from, 0), len(value))
	to := len(value)
	if ranged {
		n, err := strconv.Atoi(strings.Trim(second, " ()"))
		switch {
		case err != nil:
			return value
		case n < 0:
			to += n
		default:
			to = min(to, from+n)
		}
	}
	return value[from:max(from, to)]
}

// matchesText matches a pattern of * ? [set] and \ against a whole text.
func matchesText(pattern, text string) bool {
	star, mark := -1, 0
	p, t := 0, 0
	for t < len(text) {
		if p < len(pattern) && pattern[p] == '*' {
			star, mark = p, t
			p++
			continue
		}
		if n, ok := oneMatches(pattern[p:], text[t]); ok {
			p += n
			t++
			continue
		}
		if star < 0 {
			return false
		}
		mark++
		p, t = star+1, mark
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// oneMatches matches the first element of a pattern against a byte and returns
// its length.
func oneMatches(pattern string, b byte) (n int, ok bool) {
	if pattern == "" {
		return 0, false
	}
	switch pattern[0] {
	case '?':
		return 1, true
	case '\\':
		return min(2, len(pattern)), len(pattern) > 1 && pattern[1] == b
	case '[':
		end := strings.IndexByte(pattern[min(2, len(pattern)):], ']')
		if end < 0 {
			return 1, b == '['
		}
		set, not := pattern[1:end+2], false
		if set[0] == '!' || set[0] == '^' {
			set, not = set[1:], true
		}
		hit := false
		for i := 0; i < len(set); i++ {
			if i+2 < len(set) && set[i+1] == '-' {
				hit = hit || set[i] <= b && b <= set[i+2]
				i += 2
				continue
			}
			hit = hit || set[i] == b
		}
		return end + 3, hit != not
	}
	return 1, pattern[0] == b
}

// Operation splits the inside of ${…} into the name, or the first sign, and
// what is done with its value. The index of an array is left out.
func Operation(inner string) (name, operation string) {
	n := nameLength(inner)
	if n == 0 && inner != "" && strings.IndexByte("@*?$-", inner[0]) >= 0 {
		n = 1
	}
	for n < len(inner) && inner[n] >= '0' && inner[n] <= '9' {
		n++
	}
	name, operation = inner[:n], inner[n:]
	if strings.HasPrefix(operation, "[") {
		if end := strings.IndexByte(operation, ']'); end > 0 {
			operation = operation[end+1:]
		}
	}
	return name, operation
}

// Otherwise reports whether the operation gives a text in place of a value that
// is not there (-, =) or that is there (+).
func Otherwise(operation string) (text string, sign byte) {
	operation = strings.TrimPrefix(operation, ":")
	if operation == "" || strings.IndexByte("-=+", operation[0]) < 0 {
		return "", 0
	}
	return operation[1:], operation[0]
}
