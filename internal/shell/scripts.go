package shell

import "strings"

// scripts judges the programs whose operand is a small program of its own. A
// check gets the words behind the program's name and reports whether the
// script can do no more than transform text.
var scripts = map[string]func(words []string) bool{
	"sed": sedHarmless, "gsed": sedHarmless,
	"awk": awkHarmless, "gawk": awkHarmless, "mawk": awkHarmless, "nawk": awkHarmless,
	"jq": jqHarmless, "gojq": jqHarmless, "yq": jqHarmless,
	"tar": tarHarmless, "bsdtar": tarHarmless, "gtar": tarHarmless,
}

// sedHarmless looks at every word, since options move the script around. A
// script passes if no command in it can be w, W, e, r, R or F's like: text
// commands and the flags of s are not told apart from them without a parser,
// so the letters must not follow a place where a command or a flag may stand.
func sedHarmless(words []string) bool {
	scripted := false
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "-e" || w == "--expression":
			i++
			if i == len(words) || !sedScript(words[i]) {
				return false
			}
			scripted = true
		case strings.HasPrefix(w, "--"):
			name, value, hasValue := strings.Cut(w, "=")
			if strings.HasPrefix("--expression", name) && len(name) > 3 {
				if !hasValue || !sedScript(value) {
					return false
				}
				scripted = true
			}
		case strings.HasPrefix(w, "-") && len(w) > 1:
			if at := strings.IndexByte(w, 'e'); at > 0 {
				if at == len(w)-1 || !sedScript(w[at+1:]) {
					return false // -ne SCRIPT and -nEeSCRIPT: read only the plain spellings
				}
				scripted = true
			}
		case !scripted:
			scripted = true
			if !sedScript(w) {
				return false
			}
		}
	}
	return true
}

// sedScript reads the sed commands that people use for looking at files:
// addresses with p, d, q, =, n, and s or y with the flags g, i, I, p and digits.
func sedScript(script string) bool {
	rest := script
	for {
		rest = strings.TrimLeft(rest, " \t;\n{}")
		if rest == "" {
			return true
		}
		var ok bool
		if rest, ok = sedAddresses(rest); !ok {
			return false
		}
		if rest, ok = sedCommand(rest); !ok {
			return false
		}
	}
}

func sedAddresses(s string) (string, bool) {
	for {
		s = strings.TrimLeft(s, " \t,!~+0123456789$")
		switch {
		case strings.HasPrefix(s, "/"):
			end := delimited(s[1:], '/')
			if end < 0 {
				return s, false
			}
			s = strings.TrimLeft(s[1+end:], "IM")
		case strings.HasPrefix(s, "\\"):
			return s, false
		default:
			return s, true
		}
	}
}

func sedCommand(s string) (string, bool) {
	if s == "" {
		return s, false
	}
	switch c := s[0]; c {
	case 'p', 'd', 'q', 'Q', '=', 'n', 'N', 'P', 'D', 'h', 'H', 'g', 'G', 'x', 'l', '{', '}':
		return s[1:], true
	case 's', 'y':
		if len(s) < 2 || s[1] == '\\' || s[1] == '\n' || s[1] >= 0x80 {
			return s, false
		}
		for range 2 {
			end := delimited(s[2:], s[1])
			if end < 0 {
				return s, false
			}
			s = s[:2] + s[2+end:]
		}
		s = s[2:]
		if c == 's' {
			s = strings.TrimLeft(s, "giIpmM0123456789")
		}
		return s, s == "" || strings.IndexByte(" ;}\n", s[0]) >= 0
	default:
		return s, false
	}
}

// delimited returns the index behind the next unescaped delimiter, or -1.
// Inside brackets a delimiter still ends the expression for some seds and not
// for others, so an expression where that matters is not read.
func delimited(s string, delimiter byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			if end := strings.IndexByte(s[i:], ']'); end < 0 || strings.IndexByte(s[i:i+end], delimiter) >= 0 {
				return -1
			}
		case delimiter:
			return i + 1
		}
	}
	return -1
}

func awkHarmless(words []string) bool {
	for _, w := range words {
		if strings.ContainsAny(w, ">|@`") || strings.Contains(w, "system") || strings.Contains(w, "getline") || strings.Contains(w, "ENVIRON") {
			return false
		}
	}
	return true
}

func jqHarmless(words []string) bool {
	for _, w := range words {
		if containsWord(w, "env") || strings.Contains(w, "import") || strings.Contains(w, "include") || strings.Contains(w, "system(") || strings.Contains(w, "$ENV") || strings.Contains(w, "load") {
			return false
		}
	}
	return true
}

func containsWord(s, word string) bool {
	for i := 0; ; {
		at := strings.Index(s[i:], word)
		if at < 0 {
			return false
		}
		i += at
		before := i == 0 || !isWordByte(s[i-1])
		i += len(word)
		if before && (i == len(s) || !isWordByte(s[i])) {
			return true
		}
	}
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// tarHarmless refuses an archive on another machine (host:file), which tar
// reaches through a remote shell.
func tarHarmless(words []string) bool {
	for _, w := range words {
		if strings.Contains(w, ":") {
			return false
		}
	}
	return true
}
