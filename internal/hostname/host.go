package hostname

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxHost  = 253 // bytes, as DNS bounds them
	maxLabel = 63
)

// parseAuthority reads host[:port] into a URL that has no scheme and path yet.
func parseAuthority(text string) (URL, Kind) {
	// The two characters that move the host to another place, first: they
	// are the reason to name, whatever else is wrong.
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			return URL{}, KindBackslash
		case '@':
			return URL{}, KindUserinfo
		}
	}
	if strings.HasPrefix(text, "[") {
		return parseBracketed(text)
	}
	host, port, hasPort := strings.Cut(text, ":")
	if host == "" {
		return URL{}, KindNoHost
	}
	var u URL
	var bad Kind
	if u.Host, bad = canonicalHost(host); bad != "" {
		return URL{}, bad
	}
	if endsInNumber(u.Host) {
		addr, err := netip.ParseAddr(u.Host)
		if err != nil || !addr.Is4() {
			return URL{}, KindIPForm
		}
		u.Addr = addr
	}
	if hasPort {
		u.Port, bad = parsePort(port)
	}
	return u, bad
}

func parseBracketed(text string) (URL, Kind) {
	inner, after, closed := strings.Cut(text[1:], "]")
	if !closed || strings.Contains(inner, "%") { // a zone means this machine's links only
		return URL{}, KindIPv6
	}
	addr, err := netip.ParseAddr(inner)
	if err != nil || !addr.Is6() {
		return URL{}, KindIPv6
	}
	u := URL{Host: addr.String(), Addr: addr}
	u.respelled = !strings.EqualFold(u.Host, inner)
	if after == "" {
		return u, ""
	}
	port, ok := strings.CutPrefix(after, ":")
	if !ok {
		return URL{}, KindIPv6
	}
	var bad Kind
	u.Port, bad = parsePort(port)
	return u, bad
}

func parsePort(text string) (uint16, Kind) {
	if text == "" || text[0] < '1' || text[0] > '9' {
		return 0, KindPort
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return 0, KindPort
	}
	return uint16(n), ""
}

// canonicalHost lower-cases a host name, maps it to A-labels and drops one
// trailing dot. The result holds letters, digits, hyphens and underscores in
// non-empty labels.
func canonicalHost(host string) (string, Kind) {
	host = strings.TrimSuffix(host, ".")
	if host == "" {
		return "", KindEmptyLabel
	}
	upper, unicodeOrPuny := false, false
	for i := 0; i < len(host); i++ {
		switch c := host[i]; {
		case 'A' <= c && c <= 'Z':
			upper = true
		case c == '%':
			return "", KindPercentEncoded
		case c >= utf8.RuneSelf:
			unicodeOrPuny = true
		case !hostByte(c):
			return "", KindHostCharacter
		}
	}
	if upper {
		host = lowerASCII(host)
	}
	if unicodeOrPuny || strings.Contains(host, "xn--") {
		ascii, bad := toASCII(host)
		if bad != "" {
			return "", bad
		}
		host = ascii
	}
	if bad := checkLabels(host); bad != "" {
		return "", bad
	}
	return host, ""
}

func hostByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_'
}

// lowerASCII leaves other letters alone: their case is a matter of the IDNA
// mapping.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + ('a' - 'A')
		}
	}
	return string(b)
}

// checkLabels judges a name in its final form. A hyphen at a label's edge is
// refused: no host has one, and a leading one is an option to a command line.
func checkLabels(host string) Kind {
	if len(host) > maxHost {
		return KindTooLong
	}
	start := 0
	for i := 0; i <= len(host); i++ {
		if i < len(host) && host[i] != '.' {
			if !hostByte(host[i]) {
				return KindHostCharacter
			}
			continue
		}
		switch {
		case i == start:
			return KindEmptyLabel
		case i-start > maxLabel:
			return KindTooLong
		case host[start] == '-' || host[i-1] == '-':
			return KindHostCharacter
		}
		start = i + 1
	}
	return ""
}

// endsInNumber says whether programs would take the host for an IPv4 address
// in some form: its last label is all digits or starts like a hexadecimal
// number. No top-level domain looks so.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if strings.HasPrefix(last, "0x") {
		return true
	}
	for i := 0; i < len(last); i++ {
		if last[i] < '0' || last[i] > '9' {
			return false
		}
	}
	return last != ""
}
