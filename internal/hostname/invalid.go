package hostname

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind names why a text is no usable URL, list entry or network. The values
// are stable and may be shown to clients.
type Kind string

// Kinds of refusal.
const (
	KindEmpty          Kind = "empty"
	KindTooLong        Kind = "too_long"
	KindEncoding       Kind = "encoding"
	KindControl        Kind = "control"
	KindBlank          Kind = "blank"
	KindScheme         Kind = "scheme"
	KindBackslash      Kind = "backslash"
	KindUserinfo       Kind = "userinfo"
	KindNoHost         Kind = "no_host"
	KindEmptyLabel     Kind = "empty_label"
	KindPercentEncoded Kind = "percent_encoded"
	KindInvisible      Kind = "invisible"
	KindHostCharacter  Kind = "host_character"
	KindIDN            Kind = "idn"
	KindIPForm         Kind = "ip_form"
	KindIPv6           Kind = "ipv6"
	KindPort           Kind = "port"
	KindWildcard       Kind = "wildcard"
	KindPublicSuffix   Kind = "public_suffix"
	KindQuery          Kind = "query"
	KindPath           Kind = "path"
	KindNotCanonical   Kind = "not_canonical"
	KindCIDR           Kind = "cidr"
	KindNetwork        Kind = "network"
)

var sentences = map[Kind]string{
	KindEmpty:          "is empty",
	KindTooLong:        "is too long",
	KindEncoding:       "is not valid UTF-8",
	KindControl:        "holds a tab, line break or other control character",
	KindBlank:          "holds a blank",
	KindScheme:         "is not an http or https URL",
	KindBackslash:      "holds a backslash before its path, which some programs read as a slash",
	KindUserinfo:       "holds an @ before its path, where a user name can pose as the host",
	KindNoHost:         "names no host",
	KindEmptyLabel:     "has an empty part in its host: a dot too many",
	KindPercentEncoded: "has a percent-encoded host",
	KindInvisible:      "has an invisible or direction-changing character in its host",
	KindHostCharacter:  "has a character in its host that no host name may hold",
	KindIDN:            "has an international host name that programs read differently",
	KindIPForm:         "has an address in its host that is not in its usual form",
	KindIPv6:           "has an IPv6 address that is not valid, has a zone or lacks its brackets",
	KindPort:           "has no valid port: 1 to 65535 without leading zeros",
	KindWildcard:       `holds a wildcard; write the domain alone, such as "example.com", which covers its subdomains`,
	KindPublicSuffix:   "is a public suffix, under which anyone can register a name; write the whole domain",
	KindQuery:          "holds a query or fragment, which an entry cannot restrict",
	KindPath:           "has a path that different servers read differently",
	KindNotCanonical:   "is not a host name in its canonical form",
	KindCIDR:           "is a network; a list of domains takes single addresses",
	KindNetwork:        "is no network without host bits, plain address or plain host name",
}

// InvalidError says why a text was refused.
type InvalidError struct {
	Kind Kind
	Text string // as given, whole
}

const shownText = 200 // bytes of Text that a message repeats

// Error is one plain sentence. It repeats the text quoted and cut, so it is
// safe to print and of bounded length.
func (e InvalidError) Error() string {
	text := e.Text
	if len(text) > shownText {
		cut := shownText
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	sentence, known := sentences[e.Kind]
	if !known {
		sentence = "is not usable"
	}
	if name, ok := strings.CutPrefix(strings.TrimSpace(e.Text), "*."); ok && e.Kind == KindWildcard && len(name) <= maxHost {
		if _, bad := parseEntry(name); bad == "" {
			sentence = "holds a wildcard; write " + strconv.Quote(name) + ", which covers its subdomains"
		}
	}
	return strconv.Quote(text) + " " + sentence
}
