//go:build unix

package inspect

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"sync"
)

// accounts is what the local account files say of groups.
type accounts struct {
	// complete says that no directory service adds members.
	complete bool
	names    map[uint32][]string // user → its names
	primary  map[uint32][]uint32 // group → users who have it as their own
	members  map[uint32][]string // group → names in its list
}

// accountFiles are read again when one of them has changed.
var accountFiles = []string{"/etc/passwd", "/etc/group", "/etc/nsswitch.conf"}

// maxAccounts bounds what is read of each file.
const maxAccounts = 8 << 20

var accountCache struct {
	sync.Mutex
	stamp string
	read  *accounts
}

// accountView is what the account files say, read once for all that shares it.
type accountView struct {
	read bool
	*accounts
}

// private reports whether the owner is the only member of a group. It is
// nil where members could come from elsewhere or the owner is not known.
func (v *accountView) private(owner, group uint32) *bool {
	if !v.read {
		v.accounts, v.read = currentAccounts(), true
	}
	if v.accounts == nil || len(v.names[owner]) == 0 {
		return nil
	}
	return v.accounts.private(owner, group)
}

func (a *accounts) private(owner, group uint32) *bool {
	for _, uid := range a.primary[group] {
		if uid != owner {
			return &no
		}
	}
	for _, name := range a.members[group] {
		if !contains(a.names[owner], name) {
			return &no
		}
	}
	_, listed := a.members[group]
	if !a.complete || !listed {
		return nil
	}
	return &yes
}

func contains(list []string, name string) bool {
	for _, n := range list {
		if n == name {
			return true
		}
	}
	return false
}

func currentAccounts() *accounts {
	stamp := ""
	for _, path := range accountFiles {
		info, err := os.Stat(path)
		if err == nil {
			stamp += strconv.FormatInt(info.ModTime().UnixNano(), 10) + "/" + strconv.FormatInt(info.Size(), 10) + " "
		}
	}
	accountCache.Lock()
	defer accountCache.Unlock()
	if accountCache.stamp != stamp || accountCache.read == nil {
		accountCache.read, accountCache.stamp = readAccounts(accountFiles), stamp
	}
	return accountCache.read
}

func readAccounts(files []string) *accounts {
	a := &accounts{names: map[uint32][]string{}, primary: map[uint32][]uint32{}, members: map[uint32][]string{}}
	eachLine(files[0], func(line string) {
		fields := strings.Split(line, ":")
		if len(fields) < 4 {
			return
		}
		uid, err1 := strconv.ParseUint(fields[2], 10, 32)
		gid, err2 := strconv.ParseUint(fields[3], 10, 32)
		if err1 == nil && err2 == nil {
			a.names[uint32(uid)] = append(a.names[uint32(uid)], fields[0])
			a.primary[uint32(gid)] = append(a.primary[uint32(gid)], uint32(uid))
		}
	})
	eachLine(files[1], func(line string) {
		fields := strings.Split(line, ":")
		if len(fields) < 4 {
			return
		}
		if gid, err := strconv.ParseUint(fields[2], 10, 32); err == nil {
			list := strings.FieldsFunc(fields[3], func(r rune) bool { return r == ',' || r == ' ' })
			a.members[uint32(gid)] = append(a.members[uint32(gid)], list...)
		}
	})
	a.complete = localOnly(files[2])
	return a
}

// localOnly reports whether users and groups come from the files alone. Systemd's
// source adds what it runs itself, and nobody to a group of a person.
func localOnly(path string) bool {
	found, local := 0, true
	eachLine(path, func(line string) {
		name, sources, _ := strings.Cut(line, ":")
		if name != "passwd" && name != "group" {
			return
		}
		found++
		for _, source := range strings.Fields(sources) {
			if source != "files" && source != "systemd" && !strings.HasPrefix(source, "[") && !strings.HasSuffix(source, "]") {
				local = false
			}
		}
	})
	return found == 2 && local
}

func eachLine(path string, use func(string)) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for read := 0; lines.Scan() && read < maxAccounts; read += len(lines.Bytes()) {
		use(strings.TrimSpace(lines.Text()))
	}
}
