package paths

import (
	"strings"
)

// Place is where a tool stands when it reads a path.
type Place struct {
	Cwd  string // absolute; relative paths start here
	Home string // absolute; what ~ stands for. Empty: not known
	OS   OS     // the grammar of the two, and of the paths read
}

// Absolute turns the raw text of a request into an absolute path with forward
// slashes. It refuses what Screen refuses, puts the home directory in for a
// leading ~ or ~name, and starts a relative path in the current directory; ""
// is that directory. Names, "." and ".." stay as they are: what ".." means is
// known only to who has followed the links before it.
//
// A leading ~ is one in the first name, so "./~" is the home directory too,
// and "x/~" is not. ~name is looked up in this machine's own account file.
//
// The error is an *InvalidError.
func (p Place) Absolute(raw string) (string, error) {
	if err := Screen(raw, p.OS); err != nil {
		return "", err
	}
	text := raw
	if p.OS == Windows {
		text = slashed(raw)
	}
	if vol := p.OS.volume(text); vol >= 0 {
		return fixDrive(text, vol), nil
	}
	dir, rest, err := p.start(text)
	if err != nil {
		return "", err
	}
	base, err := p.base(dir)
	if err != nil {
		return "", err
	}
	abs := join(base, rest)
	if kind := recheck(abs, p.OS); kind != "" {
		return "", &InvalidError{Kind: kind, Path: raw}
	}
	return abs, nil
}

// start says in which directory a text begins that is not absolute, and what
// is left to append.
func (p Place) start(text string) (dir, rest string, err error) {
	if p.OS == Windows && strings.HasPrefix(text, "/") {
		switch {
		case len(p.Cwd) >= 2:
		case p.Cwd == "" && Native() != Windows:
			return unknownDrive + "/", text[1:], nil
		default:
			return "", "", &InvalidError{Kind: Relative, Path: p.Cwd}
		}
		return p.Cwd[:2] + "/", text[1:], nil
	}
	first := firstName(text)
	if !strings.HasPrefix(first, "~") {
		if text == "." {
			text = ""
		}
		return p.Cwd, text, nil
	}
	word, rest, _ := strings.Cut(first, "/")
	if word == "~" {
		if p.Home == "" {
			return "", "", &InvalidError{Kind: HomeUnknown, Path: text}
		}
		return p.Home, rest, nil
	}
	home := ""
	if p.OS == Native() && p.OS != Windows {
		home = homeOf(word[1:])
	}
	if home == "" {
		return "", "", &InvalidError{Kind: UnknownUser, Path: text}
	}
	return home, rest, nil
}

// base makes a directory fit to be joined to. It may come with the request,
// so it is screened like any other text.
func (p Place) base(dir string) (string, error) {
	shown := dir
	if p.OS == Windows {
		shown = strings.TrimPrefix(dir, unknownDrive)
	}
	if err := Screen(shown, p.OS); err != nil {
		return "", err
	}
	if p.OS == Windows {
		dir = slashed(dir)
	}
	vol := p.OS.volume(dir)
	if vol < 0 {
		return "", &InvalidError{Kind: Relative, Path: dir}
	}
	return fixDrive(dir, vol), nil
}

// recheck applies to the joined text what Screen could not see in its parts.
func recheck(abs string, os OS) Kind {
	switch {
	case len(abs) > maxPath:
		return TooLong
	case os != Windows && isProcessRelative(abs):
		return ProcessRelative
	}
	return ""
}

func join(base, rest string) string {
	switch {
	case rest == "":
		return base
	case strings.HasSuffix(base, "/"):
		return base + rest
	}
	return base + "/" + rest
}

// firstName drops the empty and "." names in front of a relative path.
func firstName(s string) string {
	for {
		switch {
		case strings.HasPrefix(s, "/"):
			s = s[1:]
		case strings.HasPrefix(s, "./"):
			s = s[2:]
		default:
			return s
		}
	}
}
