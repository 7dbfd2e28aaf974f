package decide

import (
	"iter"
	"net/url"
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/hostname"
	"github.com/agent-pdp/pdp/internal/shell"
)

// cutFileURL returns what follows the scheme of a URL of a file, with slashes. It
// reads a text as browsers do: blanks around it and tabs in it do not count, and
// neither does a backslash for another letter than a slash.
func cutFileURL(text string) (rest string, ok bool) {
	if !isFileURL(text) {
		return "", false
	}
	rest = behindFileScheme(withoutBreaks(text))
	return strings.TrimRight(strings.ReplaceAll(rest, `\`, "/"), " "), true
}

func isFileURL(text string) bool {
	return len(text) > len(fileScheme) && (text[0] <= ' ' || text[0] >= 0x80 || strings.IndexByte("vVuUfF", text[0]) >= 0) &&
		behindFileScheme(withoutBreaks(text)) != ""
}

const fileScheme = "file:"

// withoutBreaks drops what the readers of addresses drop wherever it stands.
func withoutBreaks(text string) string {
	if !strings.ContainsAny(text, "\t\n\r") {
		return text
	}
	return strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text)
}

// behindFileScheme returns what follows the scheme of a URL of a file in a text
// without breaks, of which it looks at the beginning only; empty if it is none.
func behindFileScheme(text string) string {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return r <= ' ' || isBlank(r) })
	for _, shown := range [...]string{"view-source:", "url:"} {
		if len(text) > len(shown) && strings.EqualFold(text[:len(shown)], shown) {
			text = text[len(shown):]
		}
	}
	if len(text) <= len(fileScheme) || !strings.EqualFold(text[:len(fileScheme)], fileScheme) {
		return ""
	}
	return text[len(fileScheme):]
}

// filePath is the path in a URL of a local file; other texts stay as they are.
func filePath(text string) string {
	rest, ok := cutFileURL(text)
	if !ok {
		return text
	}
	if after, isAuthority := strings.CutPrefix(rest, "//"); isAuthority {
		host, path, _ := strings.Cut(after, "/")
		if host != "" && !strings.EqualFold(host, "localhost") {
			return text
		}
		rest = path
	}
	path, err := url.PathUnescape("/" + strings.TrimPrefix(rest, "/"))
	if err != nil || strings.ContainsAny(path, "?#") {
		return text
	}
	if len(path) > 2 && (path[2] == ':' || path[2] == '|') { // /C:/x
		return path[1:2] + ":" + path[3:]
	}
	return path
}

// fileInWord returns the address of a file that a word is, or that stands in it
// behind a sign: --url=file:///x.
func fileInWord(w string) (address string, ok bool) {
	if strings.IndexByte(w, ':') < 0 {
		return "", false
	}
	w = withoutBreaks(w)
	for at := 0; ; {
		if behindFileScheme(w[at:]) != "" {
			return w[at:], true
		}
		next := strings.IndexAny(w[at:], "=@<,")
		if next < 0 {
			return "", false
		}
		at += next + 1
	}
}

// mayNameFile reports whether a program that fetches may read a file of this
// machine for the word: by the address of one, or by an address whose scheme it
// would still fill in.
func mayNameFile(w string) bool {
	if _, ok := fileInWord(w); ok {
		return true
	}
	at := strings.IndexByte(w, ':')
	return at > 0 && strings.ContainsAny(w[:at], "[{") && strings.Contains(w[at:], ":/")
}

// fileAddress returns the word by which a program that fetches may read a file
// of this machine. What such an address comes to, its program says alone: it
// decodes it and fills in patterns of its own.
func (f *facts) fileAddress(c *shell.Command) string {
	for given, texts := range f.fetched(c) {
		if mayNameFile(given) {
			return given
		}
		if at := slices.IndexFunc(texts, mayNameFile); at >= 0 {
			return texts[at]
		}
	}
	return ""
}

// fetched yields the words of programs that fetch, each with what it may become.
func (f *facts) fetched(c *shell.Command) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for i := range c.Simples {
			s := &c.Simples[i]
			if !f.policy.table.Fetches(s.Words) {
				continue
			}
			for j, given := range s.Words {
				if texts, _ := s.Values(j); !yield(given, texts) {
					return
				}
			}
		}
	}
}

// credentialAddress returns the address by which a program that fetches may get
// hold of credentials, or give orders to a service that is no web server.
func (f *facts) credentialAddress(c *shell.Command) string {
	looked := 0
	for _, texts := range f.fetched(c) {
		for _, w := range texts {
			if w == "" || w[0] == '-' && !strings.Contains(w, "=") {
				continue
			}
			forms, all := []string{w}, true
			if strings.ContainsAny(w, "{[") { // curl fills these in itself
				forms, all = shell.Braces(setsToBraces(w))
			}
			if looked += len(forms); !all || looked > maxDoubtful || slices.ContainsFunc(forms, handsOut) {
				return w
			}
		}
	}
	return ""
}

func handsOut(w string) bool {
	if name, value, ok := strings.Cut(w, "="); ok && strings.HasPrefix(name, "-") {
		w = value
	}
	if at := strings.Index(w, ":/"); at > 0 && takesOrders[strings.ToLower(strings.TrimSpace(w[:at]))] {
		return true
	}
	return hostname.Reach(w) == hostname.Metadata
}

// takesOrders are schemes by which the text of an address is a command to the
// service behind it.
var takesOrders = wordSet("gopher gophers dict telnet smtp smtps mqtt mqtts")
