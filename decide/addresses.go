package decide

import (
	"strconv"
	"strings"

	"github.com/agent-pdp/pdp/internal/hostname"
)

// namesAddress reports whether an argument's plain name says that it holds a
// URL or host.
func namesAddress(plain string) bool {
	if hostNames[plain] || strings.HasPrefix(plain, "url") {
		return true
	}
	plain = strings.TrimRight(plain, "0123456789")
	for _, end := range [...]string{"url", "urls", "uri", "uris", "urllist", "webhook", "webhooks", "hostname", "endpoint"} {
		if strings.HasSuffix(plain, end) {
			return true
		}
	}
	return false
}

var (
	hostNames = wordSet(`href hrefs link links endpoint endpoints host hosts hostname hostnames server servers site sites website websites address
	addresses origin origins callback callbacks domain domains ip ips ipaddress ipaddr upstream`)
	// addressParts hold a whole address in an object that is one: {"url": {"raw": …}}.
	addressParts = wordSet("raw value text full string base authority netloc addr")
)

// maxAddresses bounds the URLs of one call that are read; a person is asked
// about a call with more.
const maxAddresses = 10_000

// addresses reads every URL in the arguments, at any depth, whatever the
// argument's exact name. What cannot be read is left out, unless some program
// would read a private address in it: whether that matters otherwise is decided
// by the argument that the tool is known to fetch.
func (f *facts) addresses() []hostname.URL {
	if f.addressesRead {
		return f.addressList
	}
	f.addressesRead = true
	s := addressSearch{facts: f}
	s.object(f.call.Arguments, false)
	f.moreAddresses = f.moreAddresses || s.json.tooMany
	return f.addressList
}

// addressSearch looks for addresses: where the name says that an argument holds
// one, in any spelling; elsewhere for texts that can hardly be anything else.
type addressSearch struct {
	*facts
	json argumentWalk // reads JSON
	sent bool         // inside what a fetch sends: only what hands out credentials counts
}

// object takes an object, which is itself an address or not.
func (s *addressSearch) object(v Value, address bool) {
	for i := range v.members {
		m := &v.members[i]
		if strings.Contains(m.Name, "://") {
			s.text(m.Name, false)
		}
		name := plainName(m.Name)
		switch {
		case namesAddress(name), address && addressParts[name]:
			s.address(m.Value)
		case contentNames[name] && (s.writes || !s.fetches):
		case contentNames[name] && !s.sent:
			s.sent = true
			s.value(m.Value, name)
			s.sent = false
		default:
			s.value(m.Value, name)
		}
	}
}

// value takes an argument whose name does not speak of addresses.
func (s *addressSearch) value(v Value, name string) {
	switch v.kind {
	case String:
		if inner, ok := s.json.json(v.text); ok {
			s.value(inner, name)
		} else if !searchNames[name] {
			s.text(v.text, namesPath(name) && !eitherNames[name])
		}
	case Object:
		s.object(v, false)
	case List:
		for i := range v.members {
			s.value(v.members[i].Value, name)
		}
	}
}

// eitherNames hold a path or else an address.
var eitherNames = wordSet("src source location dst dest destination")

// address takes a value that is an address, or a list of them.
func (s *addressSearch) address(v Value) {
	switch v.kind {
	case String:
		if inner, ok := s.json.json(v.text); ok {
			s.address(inner)
			return
		}
		s.read(v.text)
		if strings.ContainsAny(v.text, " ,;|\r\n\t[{<") {
			for piece := range strings.FieldsFuncSeq(v.text, func(r rune) bool { return strings.ContainsRune(" ,;|\r\n\t{}<>'\"", r) }) {
				s.text(piece, false)
				s.text(strings.Trim(piece, "[]"), false)
			}
		}
	case Number:
		// Of numbers, few are meant as addresses: those of no network are none.
		if text, ok := wholeNumber(v.text); ok && hostname.Reach(text) != hostname.Reserved {
			s.read(text)
		}
	case List:
		s.labels(v)
		for i := range v.members {
			s.address(v.members[i].Value)
		}
	case Object:
		s.object(v, true)
	}
}

// wholeNumber is a number as programs dial it, if it is no address of the first
// network, which small numbers would be.
func wholeNumber(literal string) (string, bool) {
	const first, end = 1 << 24, 1 << 32
	if n, err := strconv.ParseFloat(literal, 64); err == nil && n >= first && n < end {
		return strconv.FormatUint(uint64(n), 10), true
	}
	return "", false
}

// labels takes a host that is written as the list of its labels.
func (s *addressSearch) labels(v Value) {
	const few, many = 2, 16
	if len(v.members) < few || len(v.members) > many {
		return
	}
	parts := make([]string, len(v.members))
	for i := range v.members {
		if parts[i] = v.members[i].Value.text; parts[i] == "" || strings.ContainsAny(parts[i], "./: ") {
			return
		}
	}
	s.text(strings.Join(parts, "."), false)
}

// text takes a text that may be no address at all: a path, if isPath.
func (s *addressSearch) text(text string, isPath bool) {
	text = strings.TrimFunc(text, func(r rune) bool { return r <= ' ' || isBlank(r) })
	if !mayBeAddress(text, isPath) {
		return
	}
	if strings.ContainsAny(text, "\t\r\n") {
		text = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(text)
	}
	if isAddress(text) && strings.IndexByte(text, ' ') < 0 {
		s.read(text)
		return
	}
	if u, err := hostname.Parse(text); err == nil {
		if u.Address() == hostname.Metadata {
			s.read(text)
		}
	} else if hostname.Reach(text) == hostname.Metadata {
		s.unclear, s.unclearText = hostname.Metadata, text
	}
}

// mayBeAddress tells apart what needs no closer look: most texts.
func mayBeAddress(text string, isPath bool) bool {
	const longest = 2048
	switch {
	case len(text) < len("a.b") || len(text) > longest:
		return false
	case strings.Contains(text, "://") || isAddress(text):
		return true
	case isPath:
		return false
	case strings.HasPrefix(text, "//") || text[0] == '[' || text[0] >= 0x80:
		return true
	case strings.Count(text, ":") > 1:
		return strings.Trim(text[:max(1, strings.LastIndexByte(text, ':'))], "0123456789abcdefABCDEF:.[") == "" // IPv6
	}
	// A number or a word alone is no address without a name that says so.
	if end := strings.IndexAny(text, `/?#:\`); end >= 0 {
		text = text[:end]
	}
	return strings.IndexByte(text, '.') > 0 && (text[0] >= '0' && text[0] <= '9' || strings.Contains(text, "169") || strings.Contains(foldName(text), "meta"))
}

// read takes what is an address, however it is spelled.
func (s *addressSearch) read(text string) {
	if len(s.addressList) >= maxAddresses {
		s.moreAddresses = true
		return
	}
	u, err := hostname.Parse(text)
	if s.sent && (err != nil && hostname.Reach(text) != hostname.Metadata || err == nil && u.Address() != hostname.Metadata) {
		return
	}
	if err == nil {
		s.addressList = append(s.addressList, u)
		return
	}
	if len(s.unreadable) <= maxAddresses {
		s.unreadable = append(s.unreadable, text)
	}
	if is := hostname.Reach(text); is != hostname.Public && (s.unclearText == "" || is == hostname.Metadata) {
		s.unclear, s.unclearText = is, text
	}
}
