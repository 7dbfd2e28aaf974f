package inspect

import "strings"

// repository is what git looks at before it uses a repository: the owner of each
// of these must be the user who runs it.
type repository struct {
	objects []gitObject
	// unknown says what could not be examined; git's answer is then not known.
	unknown string
}

type gitObject struct {
	name, path string
	owner      uint32
}

func (r *repository) found() bool { return len(r.objects) > 0 || r.unknown != "" }

func (r *repository) refuses(uid uint32) []string {
	var why []string
	for _, o := range r.objects {
		if o.owner != uid {
			why = append(why, o.name+" "+showName(o.path)+" is owned by user "+number(o.owner)+", not by user "+number(uid))
		}
	}
	if r.unknown != "" {
		why = append(why, r.unknown)
	}
	return why
}

// gitdirOf reads the text of a .git file. Relative names are relative to dir.
func gitdirOf(dir, text string) (string, bool) {
	target, ok := strings.CutPrefix(text, "gitdir: ")
	target = strings.TrimRight(target, "\r\n")
	if !ok || target == "" || strings.IndexByte(target, 0) >= 0 {
		return "", false
	}
	if !strings.HasPrefix(target, "/") {
		target = join(dir, target)
	}
	return target, true
}

func join(dir, name string) string {
	if dir == "/" {
		return "/" + name
	}
	return dir + "/" + name
}
