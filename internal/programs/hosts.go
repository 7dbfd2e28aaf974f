package programs

import (
	"slices"
	"strings"
)

// hostRule says which words of a program name a host.
type hostRule struct {
	operands  bool // all of them
	first     int  // the first so many
	remote    bool // HOST:PATH
	at        bool // @HOST
	addresses bool // TCP:HOST:PORT
	options   map[string]bool
	valued    map[string]bool // options that are followed by something else
}

// with returns a rule that knows further words.
func (h *hostRule) with(words []string) *hostRule {
	sum := hostRule{options: map[string]bool{}, valued: map[string]bool{}}
	if h != nil {
		sum = *h
		sum.options, sum.valued = copySet(h.options), copySet(h.valued)
	}
	for _, w := range words {
		switch w {
		case "operands":
			sum.operands = true
		case "first":
			sum.first = max(sum.first, 1)
		case "second":
			sum.first = 2
		case "remote":
			sum.remote = true
		case "@":
			sum.at = true
		case "addresses":
			sum.addresses = true
		default:
			if option, valued := strings.CutSuffix(w, ":"); valued {
				sum.valued[option] = true
			} else {
				sum.options[w] = true
			}
		}
	}
	return &sum
}

func copySet(set map[string]bool) map[string]bool {
	c := map[string]bool{}
	for w := range set {
		c[w] = true
	}
	return c
}

// maxHosts bounds what one command may name.
const maxHosts = 256

// Hosts returns the hosts that the command's words name, behind wrappers as
// well: a URL as given, otherwise the host without user, port and path. Words
// that might be hosts are among them. URLs that other programs than those of
// the table are given are not. whole is false if a bound was met, so that hosts
// are missing.
func (t *Table) Hosts(words []string) (hosts []string, whole bool) {
	whole = true
	add := func(w string) {
		switch {
		case w == "" || slices.Contains(hosts, w):
		case len(hosts) == maxHosts:
			whole = false
		default:
			hosts = append(hosts, w)
		}
	}
	left := maxHostWords
	for i, w := range t.HandedOver(words) {
		if p := t.program(w); p != nil && p.hosts != nil {
			rest := words[i+1:]
			if left -= len(rest); left < 0 {
				return hosts, false
			}
			if p.hosts.find(rest, add); !whole {
				break
			}
		}
	}
	return hosts, whole
}

// HostsInInput reports whether a program of the command is told by its input, or
// by a file, what to fetch.
func (t *Table) HostsInInput(words []string) bool {
	for i, w := range t.HandedOver(words) {
		options, ok := hostInputs[t.Name(w)]
		if ok && (options == nil || slices.ContainsFunc(words[i+1:], func(w string) bool {
			name, _, _ := strings.Cut(w, "=")
			if options[name] || len(w) < 3 || w[0] != '-' || w[1] == '-' {
				return options[name]
			}
			cluster := strings.TrimSuffix(w, "-") // -sK, -sK-
			return options[w[:2]] || options["-"+cluster[len(cluster)-1:]]
		})) {
			return true
		}
	}
	return false
}

// hostInputs are the programs whose input or file names what to fetch: by one of these
// options, or always.
var hostInputs = map[string]map[string]bool{
	"curl":   wordSet("-K --config"),
	"wget":   wordSet("-i --input-file"),
	"aria2c": wordSet("-i --input-file"),
	"yt-dlp": wordSet("-a --batch-file"), "youtube-dl": wordSet("-a --batch-file"),
	"nmap": wordSet("-iL"), "fping": wordSet("-f --file"), "dig": wordSet("-f"), "pip": wordSet("-r --requirement -c --constraint"),
	"ftp": nil, "lftp": nil, "sftp": nil, "tftp": nil, "telnet": nil, "nslookup": nil, "openssl": nil, "nsupdate": nil,
}

// maxHostWords bounds the words that are looked at behind all programs of one
// command that fetch.
const maxHostWords = 1 << 12

// Fetches reports whether the command fetches what its operands name, behind
// wrappers as well.
func (t *Table) Fetches(words []string) bool {
	for _, w := range t.HandedOver(words) {
		if p := t.program(w); p != nil && p.hosts != nil && p.hosts.operands {
			return true
		}
	}
	return false
}

// SendsWord reports whether a word of the command goes to another machine, since
// it is an address there or a part of one: any word of a program that fetches or
// connects, and of one that also works with places of this machine those that
// hold the text of an address.
func (t *Table) SendsWord(words []string, literal string) bool {
	p, sub := t.here(words)
	for _, p := range [...]*program{p, sub} {
		if p == nil || p.hosts == nil {
			continue
		}
		if h := p.hosts; h.operands || h.first > 0 || h.at || h.addresses || h.remote && strings.Contains(literal, ":") {
			return true
		}
	}
	return false
}

func (h *hostRule) find(words []string, add func(string)) {
	operands, ended := 0, false
	for i := 0; i < len(words); i++ {
		w := words[i]
		if ended || len(w) < 2 || w[0] != '-' {
			h.operand(w, operands, add)
			operands++
			continue
		}
		ended = w == "--"
		name, value, attached := strings.Cut(w, "=")
		switch {
		case h.option(name):
			if !attached && i+1 < len(words) {
				i++
				value = words[i]
			}
			addFields(value, add)
		case attached && strings.HasPrefix(w, "--"):
		case len(w) > 2 && w[1] != '-' && h.options[w[:2]]:
			addFields(strings.TrimPrefix(w[2:], "="), add)
		case len(w) > 3 && w[1] != '-' && h.inCluster(w) > 0:
			addFields(w[h.inCluster(w)+1:], add)
		case h.valued[w]:
			i++
		case i+1 < len(words) && len(words[i+1]) > 0 && words[i+1][0] != '-' && !strings.HasPrefix(w, "--no-"):
			// The next word is the option's value, or the first operand.
			if i++; !isPort(words[i]) {
				h.operand(words[i], operands, add)
			}
		}
	}
}

// option reports whether an option is followed by a host; long ones may be
// abbreviated.
func (h *hostRule) option(name string) bool {
	if h.options[name] || h.valued[name] {
		return h.options[name]
	}
	if len(name) > 4 && strings.HasPrefix(name, "--") {
		for o := range h.options {
			if strings.HasPrefix(o, name) {
				return true
			}
		}
	}
	return false
}

// inCluster returns where in a cluster of short options one with a host begins,
// or 0.
func (h *hostRule) inCluster(w string) int {
	for i := 2; i < min(len(w)-1, maxCluster); i++ {
		if h.options["-"+w[i:i+1]] {
			return i
		}
		if h.valued["-"+w[i:i+1]] {
			return 0
		}
	}
	return 0
}

func (h *hostRule) operand(w string, before int, add func(string)) {
	switch {
	case h.addresses:
		addAddress(w, add)
	case strings.Contains(w, "://"):
		add(w)
	case h.at:
		if host, ok := strings.CutPrefix(w, "@"); ok {
			add(host)
		}
	case h.remote && strings.ContainsAny(w, " \t\n"): // a text, such as a message
	case h.remote:
		if host, _, ok := strings.Cut(w, ":"); ok && host != "" && !strings.Contains(host, "/") {
			add(withoutUser(host))
		}
	case h.first > 0 && isPort(w):
	case h.operands, before < h.first:
		add(bareHost(w))
	}
}

// isPort reports whether a word is a small number; a host in decimal is longer.
func isPort(w string) bool { return len(w) <= len("65535") && strings.Trim(w, "0123456789") == "" }

// bareHost takes user, path and port away.
func bareHost(w string) string {
	if strings.Contains(w, "://") {
		return w
	}
	w, _, _ = strings.Cut(w, "/")
	w = withoutUser(w)
	if end := strings.IndexByte(w, ']'); strings.HasPrefix(w, "[") && end > 0 {
		return w[:end+1]
	}
	if host, _, ok := strings.Cut(w, ":"); ok && strings.Count(w, ":") == 1 {
		return host
	}
	return w
}

func withoutUser(host string) string { return host[strings.LastIndexByte(host, '@')+1:] }

// addFields adds every part of an option's value that may be a host: lists
// (h1,h2), HOST1:PORT1:HOST2:PORT2, PORT:HOST:PORT.
func addFields(value string, add func(string)) {
	// A setting of ssh: HostName=HOST, "ProxyCommand=nc HOST 22".
	if name, setting, ok := strings.Cut(strings.Replace(value, " ", "=", 1), "="); ok && sshSettings[strings.ToLower(name)] {
		for word := range strings.FieldsFuncSeq(setting, func(r rune) bool { return r == ' ' || r == '=' || r == ',' }) {
			add(bareHost(word))
		}
		return
	}
	for part := range strings.SplitSeq(value, ",") {
		if strings.Contains(part, "://") || strings.HasPrefix(part, "[") || strings.Count(part, ":") < 2 {
			add(bareHost(part))
			continue
		}
		for field := range strings.SplitSeq(part, ":") {
			if strings.Trim(field, "0123456789") != "" {
				add(withoutUser(field))
			}
		}
	}
}

// sshSettings are those that name a host.
var sshSettings = wordSet("hostname hostkeyalias proxyjump proxycommand knownhostscommand localforward remoteforward dynamicforward permitremoteopen")

// noHost are socat's addresses that name no host.
var noHost = wordSet("exec system shell file open gopen create fd pty pipe stdin stdout stdio readline")

// addAddress reads one of socat's addresses.
func addAddress(w string, add func(string)) {
	kind, rest, ok := strings.Cut(w, ":")
	kind = strings.ToLower(kind)
	switch {
	case !ok || noHost[kind] || strings.HasPrefix(kind, "unix") || strings.HasPrefix(kind, "abstract") || strings.Contains(kind, "listen"):
	case strings.HasPrefix(kind, "proxy"), strings.HasPrefix(kind, "socks"):
		addFields(rest+"::", add)
	default:
		rest, _, _ = strings.Cut(rest, ",")
		add(bareHost(rest))
	}
}

// DeviceHost returns the host of a path such as /dev/tcp/HOST/PORT, which the
// shell itself opens as a connection when it is the target of a redirection.
func DeviceHost(path string) (host string, ok bool) {
	for _, device := range [...]string{"/dev/tcp/", "/dev/udp/"} {
		if rest, is := strings.CutPrefix(path, device); is {
			host, _, _ = strings.Cut(rest, "/")
			return host, host != ""
		}
	}
	return "", false
}
