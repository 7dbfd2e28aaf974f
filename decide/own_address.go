package decide

import (
	"net"
	"slices"
	"strings"
)

// ownAddress is where this service listens.
type ownAddress struct {
	host, port string
	loopback   bool // reachable under the names of the machine itself
}

func compileOwn(addresses []string) []ownAddress {
	var list []ownAddress
	for _, text := range addresses {
		host, port, err := net.SplitHostPort(text)
		if err != nil || port == "" || port == "0" {
			continue
		}
		ip := net.ParseIP(host)
		list = append(list, ownAddress{strings.ToLower(host), port, host == "" || host == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())})
	}
	return list
}

// namesOwnAddress returns the service's own address if the command spells it: a
// host that can be this machine, and the port, with a colon, a slash or a blank
// between. A public name with the same port is another service.
func (f *facts) namesOwnAddress(folded string) string {
	for _, own := range f.policy.own {
		for rest, from := folded, 0; ; {
			at := strings.Index(rest[from:], own.port)
			if at < 0 {
				break
			}
			at += from
			from = at + len(own.port)
			if at > 0 && strings.IndexByte(":/ \t", rest[at-1]) >= 0 && !digitAt(rest, from) && own.matches(lastWord(rest[:at-1])) {
				return net.JoinHostPort(own.host, own.port)
			}
		}
	}
	return ""
}

func digitAt(s string, i int) bool { return i < len(s) && s[i] >= '0' && s[i] <= '9' }

// lastWord returns the host-like end of a text.
func lastWord(s string) string {
	const hostBytes = "abcdefghijklmnopqrstuvwxyz0123456789.-:[]_"
	end := strings.TrimRight(s, " \t\"'")
	start := len(end)
	for start > 0 && strings.IndexByte(hostBytes, end[start-1]) >= 0 {
		start--
	}
	return strings.Trim(end[start:], "[]")
}

func (own ownAddress) matches(host string) bool {
	if host == own.host && host != "" {
		return true
	}
	if !own.loopback || host == "" {
		return false
	}
	// Addresses have many spellings: 127.1, 0, 0x7f000001, 2130706433.
	numeric := strings.Trim(host, "0123456789abcdefx.:") == "" && (strings.HasPrefix(host, "127.") || strings.HasPrefix(host, "0") || strings.Contains(host, "::") || !strings.Contains(host, "."))
	return numeric || slices.Contains([]string{"localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback"}, host) || strings.HasSuffix(host, ".localhost")
}
