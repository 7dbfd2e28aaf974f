package shell

import "errors"

var (
	errNoClosingQuote = errors.New("a quote is not closed")
	errNoEscaped      = errors.New("a backslash has nothing to escape")
)

// Split breaks one command into words by the rules of Python's shlex.split,
// which the original engine used for its prefix lists: blanks are space, TAB,
// CR and LF; "#" is an ordinary character; nothing is expanded.
func Split(text string) ([]string, error) {
	var words []string
	var word []byte
	inWord := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '\r', '\n':
			if inWord {
				words = append(words, string(word))
				word, inWord = word[:0], false
			}
		case '\\':
			i++
			if i == len(text) {
				return nil, errNoEscaped
			}
			word, inWord = append(word, text[i]), true
		case '\'', '"':
			end, err := quoted(text, i, &word)
			if err != nil {
				return nil, err
			}
			i, inWord = end, true
		default:
			word, inWord = append(word, c), true
		}
	}
	if inWord {
		words = append(words, string(word))
	}
	return words, nil
}

// quoted appends the content of the quotes that open at text[i] and returns
// the index of the closing one.
func quoted(text string, i int, word *[]byte) (int, error) {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			return i, nil
		case c == '\\' && quote == '"' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			*word = append(*word, text[i])
		default:
			*word = append(*word, c)
		}
	}
	return 0, errNoClosingQuote
}
