package decide

import (
	"strings"

	"github.com/agent-pdp/pdp/internal/hostname"
)

// namesAddress reports whether an argument's plain name says that it holds a
// URL or host.
func namesAddress(plain string) bool {
	return strings.HasSuffix(plain, "url") || strings.HasSuffix(plain, "urls") || strings.HasSuffix(plain, "uri") || strings.HasSuffix(plain, "uris") || hostNames[plain]
}

var hostNames = wordSet("href hrefs link links endpoint host hostname server site website address origin")

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
	f.collectAddresses(f.call.Arguments)
	return f.addressList
}

func (f *facts) collectAddresses(v Value) {
	for i := range v.members {
		m := &v.members[i]
		if v.kind == Object {
			name := plainName(m.Name)
			if namesAddress(name) {
				f.addAddresses(m.Value)
				continue
			}
			if contentNames[name] {
				continue
			}
		}
		if m.Value.kind == Object || m.Value.kind == List {
			f.collectAddresses(m.Value)
		}
	}
}

func (f *facts) addAddresses(v Value) {
	switch v.kind {
	case String:
		if len(f.addressList) >= maxAddresses {
			f.moreAddresses = true
			return
		}
		if u, err := hostname.Parse(v.text); err == nil {
			f.addressList = append(f.addressList, u)
			return
		}
		if len(f.unreadable) <= maxAddresses {
			f.unreadable = append(f.unreadable, v.text)
		}
		if is := hostname.Reach(v.text); is != hostname.Public && (f.unclearText == "" || is == hostname.Metadata) {
			f.unclear, f.unclearText = is, v.text
		}
	case List:
		for i := range v.members {
			f.addAddresses(v.members[i].Value)
		}
	case Object:
		f.collectAddresses(v)
	}
}
