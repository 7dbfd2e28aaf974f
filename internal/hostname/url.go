package hostname

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxText = 8192 // bytes

// URL is the URL of a fetch whose host is beyond doubt. It is a comparable
// value. The zero URL has no host and is covered by nothing.
type URL struct {
	Scheme string     // "http" or "https"
	Host   string     // lower case, A-labels, no trailing dot; an IPv6 address without brackets
	Port   uint16     // 0 is the scheme's default
	Path   string     // as given, "/" when absent, without query
	Addr   netip.Addr // valid if and only if the host is an IP address

	rest      string // path and query as given
	respelled bool   // the text wrote its address in another than the canonical form
}

// Parse reads an http or https URL, or a plain "host.name/path", which means
// https. Surrounding blanks do not count and the fragment is dropped. Every
// other text is an InvalidError.
//
// The host is compared and fetched as DNS sees it: lower case, international
// names as A-labels, one trailing dot dropped. Addresses must be dotted quads
// or bracketed IPv6; numbers such as 2130706433 or 0x7f.1 are refused, because
// programs dial them and lists do not see them.
func Parse(text string) (URL, error) {
	u, bad := parse(text, urlGrammar)
	if bad != "" {
		return URL{}, InvalidError{bad, text}
	}
	return u, nil
}

// grammar says what may stand without a scheme.
type grammar uint8

const (
	urlGrammar   grammar = iota // a text that is plainly a host with a dot, or localhost; it means https
	entryGrammar                // any host; the scheme stays empty
)

func parse(text string, g grammar) (URL, Kind) {
	if len(text) > maxText {
		return URL{}, KindTooLong
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return URL{}, KindEmpty
	}
	if bad := screen(text); bad != "" {
		return URL{}, bad
	}
	scheme, rest, bad := cutScheme(text)
	if bad != "" {
		return URL{}, bad
	}
	authority, rest := cutAuthority(rest)
	u, bad := parseAuthority(authority)
	if scheme == "" && g == urlGrammar {
		if !plainHost(text, u, bad) {
			return URL{}, plainKind(authority, bad)
		}
		scheme = "https"
	}
	if bad != "" {
		return URL{}, bad
	}
	u.Scheme = scheme
	if u.Port == defaultPort(scheme) {
		u.Port = 0
	}
	if rest == "" || rest[0] != '/' {
		rest = "/" + rest // "?query" or nothing
	}
	u.rest = rest
	u.Path, _, _ = strings.Cut(rest, "?")
	return u, ""
}

// screen looks for what no URL may hold anywhere. Parsers delete, encode or
// refuse these, so the text judged would not be the text fetched.
func screen(text string) Kind {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ' ':
			return KindBlank
		case c < ' ' || c == 0x7f:
			return KindControl
		case c >= utf8.RuneSelf:
			return screenUnicode(text)
		}
	}
	return ""
}

func screenUnicode(text string) Kind {
	if !utf8.ValidString(text) {
		return KindEncoding
	}
	for _, r := range text {
		switch {
		case unicode.IsControl(r):
			return KindControl
		case unicode.IsSpace(r):
			return KindBlank
		}
	}
	return ""
}

// cutScheme takes "http://" or "https://" off. A text that holds "://" anywhere
// else is refused: it has a scheme to one reader and none to another.
func cutScheme(text string) (scheme, rest string, bad Kind) {
	i := strings.Index(text, "://")
	if i < 0 {
		return "", text, ""
	}
	rest = text[i+len("://"):]
	switch {
	case strings.EqualFold(text[:i], "https") && i == len("https"):
		return "https", rest, ""
	case strings.EqualFold(text[:i], "http") && i == len("http"):
		return "http", rest, ""
	}
	return "", "", KindScheme
}

// cutAuthority splits at the first "/", "?" or "#" and drops the fragment.
func cutAuthority(text string) (authority, rest string) {
	end := 0
	for end < len(text) && text[end] != '/' && text[end] != '?' && text[end] != '#' {
		end++
	}
	rest, _, _ = strings.Cut(text[end:], "#")
	return text[:end], rest
}

// plainHost says whether a text without scheme is plainly host[:port][/path]:
// a name that one would type into a browser, not "//host", ":80/x" or "wiki".
func plainHost(text string, u URL, bad Kind) bool {
	first, _ := utf8.DecodeRuneInString(text)
	starts := unicode.IsLetter(first) || '0' <= first && first <= '9'
	return bad == "" && starts && (strings.Contains(u.Host, ".") || u.Host == "localhost")
}

// plainKind picks the reason to name: what is wrong with the host, unless the
// text did not mean a host at all ("/x", "data:text/html,x").
func plainKind(authority string, bad Kind) Kind {
	before, _, _ := strings.Cut(authority, ":")
	if bad == "" || bad == KindNoHost || bad == KindPort && !strings.Contains(before, ".") {
		return KindScheme
	}
	return bad
}

func defaultPort(scheme string) uint16 {
	switch scheme {
	case "https":
		return 443
	case "http":
		return 80
	}
	return 0
}

// dialPort is the port that a fetch connects to.
func (u URL) dialPort() uint16 {
	if u.Port != 0 {
		return u.Port
	}
	return defaultPort(u.Scheme)
}

// String is the canonical text: scheme://host[:port]/path?query, path and
// query exactly as given. It is what should be fetched, since it is what was
// judged. The zero URL is "".
func (u URL) String() string {
	if u.Host == "" {
		return ""
	}
	host := u.Host
	if u.Addr.Is6() {
		host = "[" + host + "]"
	}
	if u.Port == 0 {
		return u.Scheme + "://" + host + u.rest
	}
	return u.Scheme + "://" + host + ":" + strconv.Itoa(int(u.Port)) + u.rest
}
