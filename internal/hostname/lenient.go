package hostname

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Reach is the most dangerous address that some program would connect to for a
// text that Parse refuses: it reads addresses written as numbers, in octal or in
// hexadecimal, behind user names and backslashes, percent-encoded or in letters
// that only look like digits. It serves refusals: Public says that nothing was
// found, not that the text is harmless.
func Reach(text string) Address {
	worst := Public
	if len(text) > maxText {
		return worst
	}
	for _, host := range lenientHosts(text) {
		switch is := reachOf(host); {
		case is == Metadata:
			return Metadata
		case is < worst:
			worst = is
		}
	}
	return worst
}

// lenientHosts are the hosts that programs find in a text, as many as there are
// ways to end an authority and to look behind a user name.
func lenientHosts(text string) (hosts []string) {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1 // as WHATWG parsers do
		}
		return r
	}, strings.TrimSpace(text))
	starts := []string{text}
	// Before a colon stands a scheme, or several (view-source:http:), or else a host.
	for rest, most := text, 3; most > 0; most-- {
		scheme, behind, ok := strings.Cut(rest, ":")
		if !ok || !isScheme(scheme) || strings.Contains(scheme, ".") && !strings.HasPrefix(behind, "//") {
			break
		}
		rest = behind
		starts = append(starts, rest)
	}
	for _, start := range starts {
		start = strings.TrimLeft(start, `/\`)
		for _, ends := range [...]string{"/?#", `/?#\`} {
			authority := start
			if end := strings.IndexAny(start, ends); end >= 0 {
				authority = start[:end]
			}
			const most = 8 // user names
			pieces := strings.SplitN(authority, "@", most)
			last := pieces[len(pieces)-1]
			pieces = append(pieces, last[strings.LastIndexByte(last, '@')+1:])
			if len(pieces) > 2 {
				pieces = pieces[1:] // a user name is no host
			}
			for _, piece := range pieces {
				if host := withoutPort(piece); !slices.Contains(hosts, host) {
					hosts = append(hosts, host)
				}
			}
		}
	}
	return hosts
}

func isScheme(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && (i == 0 || (s[i] < '0' || s[i] > '9') && s[i] != '+' && s[i] != '-' && s[i] != '.') {
			return false
		}
	}
	return s != ""
}

func withoutPort(authority string) string {
	if inner, ok := strings.CutPrefix(authority, "["); ok {
		inner, _, _ = strings.Cut(inner, "]")
		return inner
	}
	if _, err := netip.ParseAddr(authority); err == nil {
		return authority // an IPv6 address without its brackets
	}
	host, _, _ := strings.Cut(authority, ":")
	return host
}

// lenientHost is a host as lenient programs read it: decoded, folded, without what
// cannot be seen, a final dot and a zone.
func lenientHost(host string) string {
	if decoded, err := url.PathUnescape(host); err == nil {
		host = decoded
	}
	host = strings.Map(func(r rune) rune {
		switch {
		case invisible(r):
			return -1
		case r == '。' || r == '．' || r == '｡':
			return '.'
		}
		return r
	}, host)
	host = strings.TrimRight(strings.ToLower(norm.NFKC.String(strings.TrimFunc(host, unicode.IsSpace))), ".")
	host, _, _ = strings.Cut(host, "%") // a zone
	return host
}

func reachOf(host string) Address {
	host = lenientHost(host)
	if host == "" {
		return Public
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return classify(addr)
	}
	worst := Public
	for _, octal := range [...]bool{true, false} {
		if addr, ok := numericAddress(host, octal); ok {
			worst = moreDangerous(worst, classify(addr))
		}
	}
	return moreDangerous(worst, classifyName(host))
}

func moreDangerous(a, b Address) Address {
	if a == Metadata || b == Metadata {
		return Metadata
	}
	return min(a, b)
}

// numericAddress reads one to four numbers as inet_aton does, of which the last
// fills the bytes that are left. Programs disagree whether a leading zero means
// octal.
func numericAddress(host string, octal bool) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		base := 10
		switch {
		case strings.HasPrefix(part, "0x"):
			part, base = part[2:], 16
			if part == "" {
				part = "0"
			}
		case octal && len(part) > 1 && part[0] == '0':
			part, base = part[1:], 8
		}
		n, err := strconv.ParseUint(part, base, 64)
		if err != nil {
			return netip.Addr{}, false
		}
		left := uint(8)
		if i == len(parts)-1 {
			left = 8 * uint(5-len(parts))
		}
		value = value<<left | n&(1<<left-1) // some programs drop what is too much
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

// spelledAddress is the IPv4 address that a name spells out, as the services do
// that answer for any address: 10.0.0.1.nip.io, ip-10-0-0-1.example, a00001.sslip.io.
func spelledAddress(host string) (netip.Addr, bool) {
	labels := strings.Split(host, ".")
	for i, label := range labels {
		if i+4 < len(labels) {
			if addr, err := netip.ParseAddr(strings.Join(labels[i:i+4], ".")); err == nil {
				return addr, true
			}
		}
		if groups := strings.Split(label, "-"); len(groups) >= 4 {
			if addr, err := netip.ParseAddr(strings.Join(groups[len(groups)-4:], ".")); err == nil {
				return addr, true
			}
		}
		if len(label) == 8 && i+1 < len(labels) && wildcardDNS[strings.Join(labels[i+1:], ".")] {
			if n, err := strconv.ParseUint(label, 16, 32); err == nil {
				return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}), true
			}
		}
	}
	return netip.Addr{}, false
}

// wildcardDNS are services whose names below them stand for the address that they
// spell, in hexadecimal too.
var wildcardDNS = map[string]bool{"nip.io": true, "sslip.io": true, "xip.io": true, "traefik.me": true, "backname.io": true, "nip.dev": true}
