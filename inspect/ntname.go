package inspect

import "strings"

// Inside an AppContainer Windows may refuse to say by which drive letter an open
// object is reached. Its kernel name is always to be had; these functions turn
// it into the name that people use, or refuse.

// dosName translates a kernel name by the map from drive ("C:") to the device
// that it stands for at this moment. The longest device wins; a device that is
// only a prefix of a component does not count.
func dosName(nt string, drives map[string]string) (name, drive string, ok bool) {
	if unc, is := uncName(nt); is {
		return unc, "", true
	}
	best := ""
	for letter, device := range drives {
		device = strings.TrimRight(device, `\`)
		if device == "" || !isDriveLetter(letter) || !hasPathPrefix(nt, device) {
			continue
		}
		if len(device) > len(best) || len(device) == len(best) && letter < drive {
			best, drive = device, letter
		}
	}
	if best == "" {
		return "", "", false
	}
	rest := nt[len(best):]
	if rest == "" {
		rest = `\`
	}
	return drive + rest, drive, true
}

func isDriveLetter(s string) bool { return len(s) == 2 && isLetter(s[0]) && s[1] == ':' }

// hasPathPrefix compares without regard to case, up to a whole component.
func hasPathPrefix(path, prefix string) bool {
	if len(path) < len(prefix) || !strings.EqualFold(path[:len(prefix)], prefix) {
		return false
	}
	return len(path) == len(prefix) || path[len(prefix)] == '\\'
}

// networkDevices lead to the name space of the network. What may stand between
// them and the server (a redirector, a drive with its session) starts with a
// semicolon.
var networkDevices = []string{`\Device\Mup`, `\Device\LanmanRedirector`, `\Device\WebDavRedirector`}

func uncName(nt string) (string, bool) {
	for _, device := range networkDevices {
		if !hasPathPrefix(nt, device) || len(nt) == len(device) {
			continue
		}
		rest := nt[len(device)+1:]
		for strings.HasPrefix(rest, ";") {
			_, after, ok := strings.Cut(rest, `\`)
			if !ok {
				return "", false
			}
			rest = after
		}
		server, share, ok := strings.Cut(rest, `\`)
		if !ok || server == "" || share == "" || strings.HasPrefix(share, `\`) {
			return "", false
		}
		return `\\` + rest, true
	}
	return "", false
}

// mismatch is the refusal of a name that cannot be given back in the spelling of
// drives: a mounted folder, a volume without a letter, a drive that leads on.
func mismatch(nt string) error {
	return refusal(CodeMismatch, "no drive leads to "+Bound(nt))
}

// isVolumeGUIDRoot reports the exact name of a volume's root.
func isVolumeGUIDRoot(name string) bool {
	const start, length = `\\?\Volume{`, len(`\\?\Volume{00000000-0000-0000-0000-000000000000}\`)
	return len(name) == length && strings.HasPrefix(name, start) && strings.HasSuffix(name, `}\`)
}

// rootEntry is the path under which the entry itself of a possible volume root is
// opened: without separators and dots at the end. It is "" for a path with
// parent components, which prove nothing.
func rootEntry(path string) string {
	path = strings.ReplaceAll(path, "/", `\`)
	for _, part := range strings.Split(path, `\`) {
		if part == ".." {
			return ""
		}
	}
	for {
		trimmed := strings.TrimSuffix(strings.TrimRight(path, `\`), `\.`)
		if trimmed == path || trimmed == "" {
			break
		}
		path = trimmed
	}
	if isDriveLetter(path) {
		return path + `\`
	}
	return path
}

// isRemoteName reads the DOS name of an open object. What is neither a drive nor
// a volume is taken for remote.
func isRemoteName(name string) bool {
	if hasPathPrefix(name, `\\?\UNC`) {
		return true
	}
	return strings.HasPrefix(name, `\\`) && !strings.HasPrefix(name, `\\?\`)
}
