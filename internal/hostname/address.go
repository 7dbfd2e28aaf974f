package hostname

import (
	"bytes"
	"net/netip"
	"strings"
)

// Address says what a host's address is good for, most dangerous first.
type Address uint8

// Kinds of address. The zero value is not Public, so a forgotten one refuses.
const (
	Unspecified Address = iota // 0.0.0.0/8 and ::, which reach this machine; also the zero URL
	Metadata                   // a cloud's instance metadata and credentials
	LinkLocal
	Loopback
	Private
	Multicast
	Reserved // documentation, benchmarks, broadcast, and what is not given out
	Public   // a public address, or a name that says nothing else
)

var addressNames = [...]string{"unspecified", "metadata", "link_local", "loopback", "private", "multicast", "reserved", "public"}

// String is the name as clients see it.
func (a Address) String() string {
	if int(a) >= len(addressNames) {
		return addressNames[Unspecified]
	}
	return addressNames[a]
}

type network struct {
	prefix netip.Prefix
	is     Address
}

func networks(is Address, prefixes ...string) []network {
	list := make([]network, len(prefixes))
	for i, p := range prefixes {
		list[i] = network{netip.MustParsePrefix(p), is}
	}
	return list
}

func join(lists ...[]network) (all []network) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// special4 and special6 are searched in order: single addresses stand before
// the networks that hold them. What is not in special4 is public; IPv6 is the
// other way round, since only 2000::/3 has been given out.
var (
	special4 = join(
		networks(Metadata,
			"169.254.169.254/32", // AWS, Azure, Google, Oracle, DigitalOcean, OpenStack, …
			"169.254.170.2/32",   // AWS container credentials
			"169.254.170.23/32",  // AWS pod identity
			"169.254.169.253/32", // AWS resolver
			"169.254.0.23/32",    // Tencent
			"169.254.42.42/32",   // Scaleway
			"100.100.100.200/32", // Alibaba
			"168.63.129.16/32",   // Azure wire server
			"192.0.0.192/32",     // Oracle classic
		),
		networks(Unspecified, "0.0.0.0/8"),
		networks(LinkLocal, "169.254.0.0/16"),
		networks(Loopback, "127.0.0.0/8"),
		networks(Private, "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"),
		networks(Multicast, "224.0.0.0/4"),
		networks(Reserved, "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
			"192.88.99.0/24", "240.0.0.0/4"),
	)
	special6 = join(
		networks(Metadata,
			"fd00:ec2::254/128",      // AWS
			"fd00:ec2::23/128",       // AWS pod identity
			"fd20:ce::254/128",       // Google
			"fd00:42::42/128",        // Scaleway
			"fd00:c1::a9fe:a9fe/128", // Oracle
			"fe80::a9fe:a9fe/128",    // OpenStack
		),
		networks(Unspecified, "::/128"),
		networks(Loopback, "::1/128"),
		networks(LinkLocal, "fe80::/10"),
		networks(Private, "fc00::/7", "fec0::/10", "64:ff9b:1::/48"),
		networks(Multicast, "ff00::/8"),
		networks(Reserved, "2001:db8::/32", "3fff::/20", "2001:2::/48", "2001:10::/28", "2001:20::/28"),
		networks(Public, "2000::/3"),
	)
)

// names are well-known hosts whose address need not be looked up. A name with
// a dot stands for its subdomains too.
var names = map[string]Address{
	"localhost":                         Loopback,
	"localhost.localdomain":             Loopback,
	"localhost4":                        Loopback,
	"localhost6":                        Loopback,
	"localhost4.localdomain4":           Loopback,
	"localhost6.localdomain6":           Loopback,
	"ip6-localhost":                     Loopback,
	"ip6-loopback":                      Loopback,
	"loopback":                          Loopback,
	"metadata":                          Metadata,
	"metadata.google.internal":          Metadata,
	"metadata.goog":                     Metadata,
	"metadata.azure.internal":           Metadata,
	"metadata.tencentyun.com":           Metadata,
	"metadata.platformequinix.com":      Metadata,
	"metadata.packet.net":               Metadata,
	"api.metadata.cloud.ibm.com":        Metadata,
	"instance-data":                     Metadata,
	"instance-data.ec2.internal":        Metadata,
	"rancher-metadata":                  Metadata,
	"rancher-metadata.rancher.internal": Metadata,
	"host.docker.internal":              Private,
	"gateway.docker.internal":           Private,
	"kubernetes.docker.internal":        Private,
	"host.containers.internal":          Private,
	"host.lima.internal":                Private,
	"host.minikube.internal":            Private,
	"kubernetes.default":                Private,
	"kubernetes.default.svc":            Private,
	"cluster.local":                     Private,
	// Public names that lead to the machine that asks, as do all below them.
	"localtest.me":  Loopback,
	"lvh.me":        Loopback,
	"vcap.me":       Loopback,
	"lacolhost.com": Loopback,
	"localho.st":    Loopback,
}

// Address classifies the host by its text: an IP address by its network, also
// when IPv6 wraps an IPv4 address, or a well-known name, or an address that the
// name spells out. No name is resolved, so Public for a name means only that the
// name itself gives nothing away.
func (u URL) Address() Address {
	switch {
	case u.Host == "":
		return Unspecified
	case u.Addr.IsValid():
		return classify(u.Addr)
	}
	return classifyName(u.Host)
}

// privateSuffixes end names that no public DNS answers: home.arpa (RFC 8375),
// local and those that networks use in its place (RFC 6762, section 5 and
// appendix G), and internal, which ICANN keeps for private use.
var privateSuffixes = [...]string{"internal", "local", "home.arpa", "intranet", "private", "corp", "home", "lan"}

func classifyName(host string) Address {
	if below(host, "localhost") {
		return Loopback // the one single label whose subdomains are its own
	}
	if is, ok := names[host]; ok {
		return is
	}
	for name := parent(host); strings.Contains(name, "."); name = parent(name) {
		if is, ok := names[name]; ok {
			return is
		}
	}
	if addr, ok := spelledAddress(host); ok {
		if is := classify(addr); is != Reserved { // version numbers look like these
			return is
		}
	}
	for _, suffix := range privateSuffixes {
		if host != suffix && below(host, suffix) {
			return Private
		}
	}
	return Public
}

func classify(addr netip.Addr) Address {
	addr = unwrap(addr)
	list, other := special6, Reserved
	if addr.Is4() {
		list, other = special4, Public
	}
	for _, n := range list {
		if n.prefix.Contains(addr) {
			return n.is
		}
	}
	return other
}

// wrapper is an IPv6 network whose addresses carry an IPv4 address.
type wrapper struct {
	prefix netip.Prefix
	at     int  // first byte of the IPv4 address
	flip   byte // mask over its bytes
}

var wrappers = []wrapper{
	{netip.MustParsePrefix("::ffff:0:0/96"), 12, 0},   // IPv4-mapped
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12, 0}, // IPv4-translated
	{netip.MustParsePrefix("64:ff9b::/96"), 12, 0},    // NAT64
	{netip.MustParsePrefix("2002::/16"), 2, 0},        // 6to4
	{netip.MustParsePrefix("2001::/32"), 12, 0xff},    // Teredo: the client, inverted
	{netip.MustParsePrefix("::/96"), 12, 0},           // IPv4-compatible
}

// unwrap is the IPv4 address that an IPv6 one carries, or the address itself.
func unwrap(addr netip.Addr) netip.Addr {
	if !addr.Is6() || addr == netip.IPv6Unspecified() || addr == netip.IPv6Loopback() {
		return addr
	}
	raw := addr.As16()
	for _, w := range wrappers {
		if !w.contains(addr) {
			continue
		}
		var v4 [4]byte
		for i := range v4 {
			v4[i] = raw[w.at+i] ^ w.flip
		}
		return netip.AddrFrom4(v4)
	}
	return addr
}

// contains compares the bits: netip.Prefix takes a mapped address for IPv4
// and would never find it in an IPv6 prefix.
func (w wrapper) contains(addr netip.Addr) bool {
	a, p := addr.As16(), w.prefix.Addr().As16()
	n := w.prefix.Bits() / 8 // all are whole bytes
	return bytes.Equal(a[:n], p[:n])
}
