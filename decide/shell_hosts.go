package decide

import (
	"strconv"
	"strings"

	"github.com/agent-pdp/pdp/internal/hostname"
	"github.com/agent-pdp/pdp/internal/programs"
	"github.com/agent-pdp/pdp/internal/shell"
)

// commandHosts finds the hosts of the commands of one text, in which words recur:
// each is looked at once.
type commandHosts struct {
	words, within, named map[string]bool // that were looked at: whole, for what they hold, as a program's host
}

func newCommandHosts() commandHosts {
	return commandHosts{map[string]bool{}, map[string]bool{}, map[string]bool{}}
}

// of returns what words of a command spell out as a URL, what they hold besides
// other things, and what its programs take for a host. whole is false if there may
// be more.
func (h commandHosts) of(c shell.Seen, hosts []string) (list []hostname.URL, whole bool) {
	for _, words := range [...][]string{c.Words, c.Sets} {
		for _, w := range words {
			if !h.words[w] {
				h.words[w] = true
				list = appendSpelled(list, w)
			}
		}
	}
	for _, words := range [...][]string{c.Reads, c.Writes} {
		for _, path := range words {
			if host, ok := programs.DeviceHost(path); ok {
				list = appendHost(list, host)
			}
		}
	}
	for _, host := range hosts {
		if !h.named[host] {
			h.named[host] = true
			list = appendNamed(list, host)
		}
	}
	within, whole := hostsWithin(c, h.within)
	return append(list, within...), whole
}

// appendSpelled adds the hosts of the address that a word is or ends with.
func appendSpelled(list []hostname.URL, w string) []hostname.URL {
	if host := hostInSetting(w); host != "" {
		list = appendHost(list, host)
	}
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
	return list
}

// appendNamed adds what a program takes for a host.
func appendNamed(list []hostname.URL, host string) []hostname.URL {
	if u, err := hostname.Parse(host); err == nil {
		return append(list, u)
	}
	return appendHost(list, host)
}

// hostTexts are the words of the texts that programs of the command are told by
// what to fetch, and the texts in the code that they are given.
func hostTexts(commands []shell.Seen) (list []shell.Seen) {
	asked, code := false, false
	for _, c := range commands {
		asked = asked || c.HostsInInput()
		if c.HoldsCode() {
			code = true
			for _, w := range c.Words {
				if strings.ContainsAny(w, "\"'`") {
					list = append(list, shell.Seen{Sets: textWords(w)})
				}
			}
		}
	}
	if !asked && !code {
		return list
	}
	for _, c := range commands {
		texts := append([]string{c.Input}, c.Reads...)
		if asked {
			texts = append(texts, c.Prints()...)
		}
		for _, text := range texts {
			if words := textWords(text); len(words) > 0 {
				list = append(list, shell.Seen{Sets: words})
			}
		}
	}
	return list
}

// textWords are the parts of a text that may be an address.
func textWords(text string) (words []string) {
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`()=,;<>", r) }) {
		if strings.IndexByte(w, '.') >= 0 {
			words = append(words, w)
		}
	}
	return words
}

// hostsWithin returns the hosts in words that hold something else as well:
// NAME=HOST, USER@HOST:PATH, METHOD:HOST:PATH, //HOST/SHARE. An address of mail
// is none. What known holds was looked at. whole is false if there may be more.
func hostsWithin(c shell.Seen, known map[string]bool) (list []hostname.URL, whole bool) {
	for _, words := range [...][]string{c.Words, c.Sets} {
		for _, w := range words {
			if !strings.ContainsAny(w, "=@:,") && !strings.HasPrefix(w, "//") && !strings.HasPrefix(w, ".") || strings.ContainsAny(w, " \t\n") || known[w] {
				continue
			}
			known[w] = true
			for rest := w; rest != ""; {
				at := strings.IndexAny(rest, "=@:,")
				field, sign := rest, byte(0)
				if rest = ""; at >= 0 {
					field, sign, rest = field[:at], field[at], field[at+1:]
				}
				if sign == '@' && !strings.ContainsAny(rest, ":/") {
					rest = "" // of an address of mail
				}
				field, _, _ = strings.Cut(strings.TrimLeft(field, "/."), "/") // a dot is left of what is not known
				if strings.IndexByte(field, '.') > 0 && !known[field] {
					if known[field] = true; len(known) > maxWithin {
						return list, false
					}
					list = appendHost(list, field)
				}
			}
		}
	}
	return list, true
}

// maxWithin bounds the words that are looked into for hosts, and what may be one.
const maxWithin = 4096

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

// hostInSetting returns the host of a word NAME=HOST whose name says that it is
// one: a proxy that programs are given, or a setting of a connection.
func hostInSetting(w string) string {
	name, value, ok := strings.Cut(w, "=")
	if !ok || value == "" || strings.Contains(value, "://") {
		return ""
	}
	name = strings.ToLower(strings.TrimLeft(name, "-"))
	if !strings.HasSuffix(name, "proxy") && !hostSettings[name] {
		return ""
	}
	host, _, _ := strings.Cut(value, " ") // host=HOST dbname=NAME
	return authority("://" + host)
}

var hostSettings = wordSet("host hostaddr hostname url pghost pghostaddr mysql_host redis_host docker_host git_proxy_command rsync_proxy")

// maxFilledHosts bounds the addresses that one word is filled in to.
const maxFilledHosts = 64

// maxDoubtful bounds the addresses of one text that are compared with a list.
const maxDoubtful = 256

// doubtfulHost looks at the addresses of commands that are no proper ones, as
// the programs that fetch read them: decoded, and with the patterns filled in
// that curl knows; and at those in the texts that they are given. What each takes
// for a host is in hosts.
func doubtfulHost(domains *hostname.Set, commands []shell.Seen, hosts [][]string) (what string, hit bool) {
	looked, seen := map[string]bool{}, map[string]bool{}
	for i, c := range commands {
		texts := append(c.Words[:len(c.Words):len(c.Words)], c.Sets...)
		for _, host := range hosts[i] {
			if !strings.Contains(host, "://") {
				texts = append(texts, "http://"+host)
			}
		}
		for _, w := range append(texts, c.Reads...) {
			for _, name := range [...]string{"/inet/tcp/0/", "/inet/udp/0/", "/inet4/tcp/0/", "/inet6/tcp/0/"} { // of gawk
				if _, rest, ok := strings.Cut(w, name); ok {
					host, _, _ := strings.Cut(rest, "/")
					if e, hit, _ := domains.MightReach("http://" + host); hit {
						return "the domain " + e.String(), true
					}
				}
			}
			at := strings.Index(w, "://")
			if at <= 0 {
				continue
			}
			w = w[strings.LastIndexAny(w[:at], "=@ \"'")+1:]
			if end := strings.IndexAny(w, " \t\n\"'"); end > 0 {
				w = w[:end]
			}
			if looked[w] {
				continue
			}
			looked[w] = true
			forms := []string{w}
			if strings.ContainsAny(w, "{[") {
				all := false
				if forms, all = shell.Braces(setsToBraces(w)); !all || len(forms) > maxFilledHosts {
					return "domains, and an address of this command may become too many", true
				}
			}
			for _, form := range forms {
				if seen[form] {
					continue
				}
				if seen[form] = true; len(seen) > maxDoubtful {
					return "domains, and this command names too many addresses to look at all of them", true
				}
				e, hit, whole := domains.MightReach(form)
				if hit {
					return "the domain " + e.String() + ", which some program would find in " + strconv.Quote(clip(form)), true
				}
				if !whole {
					return "domains, and an address of this command is too long to be read", true
				}
			}
		}
	}
	return "", false
}

// setsToBraces writes curl's ranges of one letter, [a-a], as that letter.
func setsToBraces(w string) string {
	for from := 0; ; {
		at := strings.IndexByte(w[from:], '[')
		if at < 0 {
			return w
		}
		from += at
		if inner := w[from:]; len(inner) > 4 && inner[2] == '-' && inner[4] == ']' && inner[3]-inner[1] < 26 {
			letters := make([]string, 0, 26)
			for c := inner[1]; c <= inner[3]; c++ {
				letters = append(letters, string(rune(c)))
			}
			set := letters[0]
			if len(letters) > 1 {
				set = "{" + strings.Join(letters, ",") + "}"
			}
			w = w[:from] + set + inner[5:]
		}
		from++
	}
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
	for _, words := range [...][]string{c.Words, c.Sets} {
		for _, w := range words {
			if strings.Contains(w, "://") {
				for _, u := range appendSpelled(nil, w) {
					hosts = append(hosts, u.Host)
				}
			}
		}
	}
	for _, path := range append(append([]string(nil), c.Reads...), c.Writes...) {
		if host, ok := programs.DeviceHost(path); ok {
			for _, u := range appendHost(nil, host) {
				hosts = append(hosts, u.Host)
			}
		}
	}
	list, whole := f.policy.table.Hosts(c.Words)
	f.seenAll = f.seenAll && whole
	for _, h := range list {
		if !strings.Contains(h, "://") {
			h = "https://" + h + "/"
		}
		if u, err := hostname.Parse(h); err == nil {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}
