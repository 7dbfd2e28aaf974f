package decide

import (
	"strings"

	"github.com/agent-pdp/pdp/internal/hostname"
	"github.com/agent-pdp/pdp/internal/programs"
	"github.com/agent-pdp/pdp/internal/shell"
)

// shellURLs returns the addresses that the command names.
func (f *facts) shellURLs() []hostname.URL {
	var list []hostname.URL
	for _, c := range f.commands() {
		list = append(list, f.urlsOf(c)...)
	}
	return list
}

// urlsOf returns what words of a command spell out as a URL, and what its
// programs take for a host.
func (f *facts) urlsOf(c shell.Seen) []hostname.URL {
	var list []hostname.URL
	words := append(append([]string(nil), c.Words...), c.Sets...)
	for _, w := range words {
		at := strings.Index(w, "://")
		if at > 0 {
			w = w[strings.LastIndexAny(w[:at], "=@ ")+1:]
		}
		if host := fewSlashes(w); host != "" {
			list = appendHost(list, host)
		}
		if u, err := hostname.Parse(w); err == nil {
			list = append(list, u)
		} else if at > 0 {
			list = appendHost(list, authority(w))
		}
	}
	for _, path := range append(append([]string(nil), c.Reads...), c.Writes...) {
		if host, ok := programs.DeviceHost(path); ok {
			list = appendHost(list, host)
		}
	}
	for _, h := range f.policy.table.Hosts(c.Words) {
		if u, err := hostname.Parse(h); err == nil {
			list = append(list, u)
		} else if u, err := hostname.Parse("https://" + h + "/"); err == nil {
			list = append(list, u)
		}
	}
	return list
}

// fewSlashes returns the host of an address with one slash, none or more than
// two, or with backslashes, as programs that fetch read it all the same.
func fewSlashes(w string) string {
	scheme, rest, ok := strings.Cut(w, ":")
	if !ok || !fetchSchemes[strings.ToLower(scheme[strings.LastIndexAny(scheme, "=@ ")+1:])] {
		return ""
	}
	return authority("://" + strings.TrimLeft(rest, "/\\"))
}

var fetchSchemes = wordSet("http https ftp ftps ws wss")

// authority returns the host of an address that is no proper one, as a lenient
// program would read it: behind user and password, of any scheme.
func authority(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	if end := strings.IndexAny(rest, "/?#\\"); end >= 0 {
		rest = rest[:end]
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	if at := strings.LastIndexByte(rest, ':'); at >= 0 && !strings.HasSuffix(rest, "]") {
		rest = rest[:at]
	}
	return rest
}

func appendHost(list []hostname.URL, host string) []hostname.URL {
	if u, err := hostname.Parse("https://" + host + "/"); err == nil {
		return append(list, u)
	}
	return list
}

// hostsOf returns the hosts that a command names to people: not every word that
// could be one, such as a file's name.
func (f *facts) hostsOf(c shell.Seen) (hosts []string) {
	named := c
	named.Words, named.Sets = nil, nil
	for _, w := range append(append([]string(nil), c.Words...), c.Sets...) {
		if strings.Contains(w, "://") {
			named.Sets = append(named.Sets, w)
		}
	}
	for _, u := range f.urlsOf(named) {
		hosts = append(hosts, u.Host)
	}
	for _, h := range f.policy.table.Hosts(c.Words) {
		if !strings.Contains(h, "://") {
			h = "https://" + h + "/"
		}
		if u, err := hostname.Parse(h); err == nil {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}
