package hostname

import (
	"net/netip"
	"strings"
)

const (
	maxDoubtful = 64 << 10 // bytes of a text that is looked at for hosts
	maxSpelling = 4 << 10  // bytes in which a host is spelled
)

// MightReach returns an entry that may speak of a text that Parse refuses,
// because some program would go to its host from there: behind a user name or a
// backslash, without slashes or scheme, percent-encoded, in letters of another
// width, behind a second scheme. It is for lists that restrict, so scheme, port
// and path of an entry do not count: what the text says of them is as doubtful.
// whole is false where the text is too long to be looked at.
func (s Set) MightReach(text string) (e Entry, hit, whole bool) {
	switch {
	case len(s.byHost) == 0 || isData(text):
		return Entry{}, false, true
	case len(text) > maxDoubtful:
		return Entry{}, false, false
	}
	for _, spelled := range lenientHosts(text) {
		if len(spelled) > maxSpelling {
			return Entry{}, false, false
		}
		if e, hit = s.mightHold(lenientHost(spelled)); hit {
			return e, true, true
		}
	}
	return Entry{}, false, true
}

// isData reports the URL of a content, which leads nowhere however long it is.
func isData(text string) bool {
	const scheme = "data:"
	text = strings.TrimSpace(text)
	return len(text) >= len(scheme) && strings.EqualFold(text[:len(scheme)], scheme)
}

func (s Set) mightHold(host string) (Entry, bool) {
	if host == "" {
		return Entry{}, false
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return s.mightBe(addr)
	}
	for _, octal := range [...]bool{true, false} {
		if addr, ok := numericAddress(host, octal); ok {
			if e, hit := s.mightBe(addr); hit {
				return e, true
			}
		}
	}
	if !isASCII(host) {
		// Whatever the name breaks, the labels of it are what is looked up.
		if ascii, _ := profile.ToASCII(host); ascii != "" {
			host = ascii
		}
	}
	for key := host; key != ""; key = parent(key) {
		for _, e := range s.byHost[key] {
			if !e.addr.IsValid() && (host == e.host || below(host, e.host)) {
				return e, true
			}
		}
	}
	return Entry{}, false
}

func (s Set) mightBe(addr netip.Addr) (Entry, bool) {
	for _, e := range s.byHost[unwrap(addr.WithZone("")).String()] {
		if e.addr.IsValid() {
			return e, true
		}
	}
	return Entry{}, false
}
