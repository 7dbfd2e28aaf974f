package hostname

import (
	"net/netip"
	"strings"
)

// Networks is a list of networks, addresses and host names that an operator
// named on purpose. The zero value holds nothing.
type Networks struct {
	prefixes []netip.Prefix
	names    map[string]bool
}

// ParseNetworks reads entries such as "10.0.0.0/8", "fd00::/8", "192.168.1.7",
// "::1", "localhost" and "nas.example.com". A network must be written without
// host bits, a name without scheme, port and path. A name means that name and,
// if it has a dot, its subdomains; public suffixes are refused.
func ParseNetworks(entries []string) (Networks, error) {
	n := Networks{names: make(map[string]bool)}
	for _, text := range entries {
		if bad := n.add(strings.TrimSpace(text)); bad != "" {
			return Networks{}, InvalidError{bad, text}
		}
	}
	return n, nil
}

func (n *Networks) add(text string) Kind {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		if prefix != prefix.Masked() || prefix.Addr().Is4In6() {
			return KindNetwork
		}
		n.prefixes = append(n.prefixes, prefix)
		return ""
	}
	e, bad := parseEntry(text)
	switch {
	case bad != "":
		return bad
	case e != Entry{host: e.host, addr: e.addr, exact: e.exact}:
		return KindNetwork // a scheme, port or path is no part of a network
	case e.addr.IsValid():
		addr := unwrap(e.addr)
		n.prefixes = append(n.prefixes, netip.PrefixFrom(addr, addr.BitLen()))
	default:
		n.names[e.host] = true
	}
	return ""
}

// Contains says whether the list names the URL's host: an address by its
// network, where IPv6 forms of an IPv4 address count as that IPv4 address; a
// name by its text. "localhost" does not name 127.0.0.1, nor the reverse.
func (n Networks) Contains(u URL) bool {
	if !u.Addr.IsValid() {
		return u.Host != "" && n.containsName(u.Host)
	}
	addr := unwrap(u.Addr)
	for _, prefix := range n.prefixes {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

func (n Networks) containsName(host string) bool {
	if n.names[host] {
		return true
	}
	for name := parent(host); strings.Contains(name, "."); name = parent(name) {
		if n.names[name] {
			return true
		}
	}
	return false
}
