package decide

import (
	"net/url"
	"strings"
)

// cutFileURL returns what follows the scheme of a URL of a file, with slashes. It
// reads a text as browsers do: blanks around it and tabs in it do not count, and
// neither does a backslash for another letter than a slash.
func cutFileURL(text string) (rest string, ok bool) {
	const scheme = "file:"
	if len(text) <= len(scheme) {
		return "", false
	}
	if c := text[0] | 0x20; text[0] <= ' ' || c == 'v' || c == 'u' || c == 'f' && text[len(scheme)-1] != ':' {
		text = strings.TrimLeftFunc(text, func(r rune) bool { return r <= ' ' || isBlank(r) })
		text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text)
		for _, shown := range [...]string{"view-source:", "url:"} {
			if len(text) > len(shown) && strings.EqualFold(text[:len(shown)], shown) {
				text = text[len(shown):]
			}
		}
	}
	if len(text) <= len(scheme) || !strings.EqualFold(text[:len(scheme)], scheme) {
		return "", false
	}
	text = text[len(scheme):]
	if strings.ContainsAny(text, "\t\n\r\\") {
		text = strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/").Replace(text)
	}
	return strings.TrimRight(text, " "), true
}

func isFileURL(text string) bool {
	_, ok := cutFileURL(text)
	return ok
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
