package programs

import (
	"path"
	"slices"
	"strings"
)

// composes reports whether a program may write paths which are not among its
// words.
func composes(name string) bool {
	return composers[name] || compressors[name] != "" || landers[name] != nil
}

var composers = wordSet("cp mv install ln scp rsync curl wget git tar bsdtar gtar sed gsed python dd sqlite3 duckdb")

// landed is what a command's programs have put together so far.
type landed struct {
	into string // where the last one put files
	end  int    // where its words ended
}

// lands lists the paths that the program puts together from its words, but for
// those that a program before it put together as well.
func (d doer) lands(words []string, before *landed) []string {
	behind := own(words, d.at)[1:]
	switch {
	case compressors[d.name] != "":
		return landCompressed(d.name, behind)
	case landers[d.name] != nil:
		return landers[d.name](behind)
	case d.operands != nil && d.operands.into:
		sources, into := inside(behind)
		// Of two programs the first is given the words of the second, too.
		if end := d.at + 1 + len(behind); into != before.into || end != before.end {
			*before = landed{into, end}
			return joined(sources, into)
		}
		return nil
	case d.name == "curl", d.name == "wget":
		return landDownloads(d.name, behind)
	case d.name == "git":
		if behind := own(words, d.at); len(behind) > 2 && behind[0] == "bundle" && behind[1] == "create" {
			return behind[2:]
		}
		return slices.Concat(landGitConfig(own(words, d.at)), landTemplate(own(words, d.at)), landWorkTree(words))
	case d.name == "tar", d.name == "bsdtar", d.name == "gtar":
		return landArchive(behind)
	case d.name == "sed", d.name == "gsed":
		written, _ := sedFiles(behind)
		return written
	case sqlShells[d.name]:
		written, _ := sqlFilesOf(behind)
		return written
	case d.name == "python" && len(behind) > 2 && behind[0] == "-m" && (behind[1] == "zipfile" || behind[1] == "tarfile"):
		return behind[len(behind)-1:]
	}
	return nil
}

// inside tells the sources from the directory that they may land in: the last
// operand, or the value of -t.
func inside(words []string) (sources []string, into string) {
	for i, w := range words {
		switch {
		case i > 0 && (words[i-1] == "-t" || words[i-1] == "--target-directory"):
			into = w
		case strings.HasPrefix(w, "--target"):
			_, into, _ = strings.Cut(w, "=")
		case strings.HasPrefix(w, "-t") && len(w) > 2:
			into = w[2:]
		case !strings.HasPrefix(w, "-"):
			sources = append(sources, w)
		}
	}
	if into == "" && len(sources) > 1 {
		into, sources = sources[len(sources)-1], sources[:len(sources)-1]
	}
	return sources, into
}

// joined is the sources' names in a directory.
func joined(sources []string, dir string) []string {
	if dir == "" {
		return nil
	}
	var landed distinct
	for _, source := range sources {
		if base := path.Base(strings.TrimRight(source, "/")); base != "." && base != ".." {
			landed.add(strings.TrimRight(dir, "/") + "/" + base)
		}
	}
	return landed.list
}

// landDownloads names the files that a download is saved as by its own name.
func landDownloads(program string, words []string) []string {
	named, dir := program == "wget", ""
	for i, w := range words {
		cluster := len(w) > 1 && w[0] == '-' && w[1] != '-'
		switch {
		case program == "curl" && (cluster && strings.ContainsAny(w, "OJ") || strings.HasPrefix(w, "--remote-n") || strings.HasPrefix(w, "--remote-h")):
			named = true
		case program == "wget" && (cluster && strings.Contains(w, "O") || strings.HasPrefix(w, "--output-d")):
			return nil
		case i > 0 && (words[i-1] == "-P" || words[i-1] == "--directory-prefix" || words[i-1] == "--output-dir"):
			dir = w + "/"
		case strings.HasPrefix(w, "--directory-prefix=") || strings.HasPrefix(w, "--output-dir="):
			dir = w[strings.IndexByte(w, '=')+1:] + "/"
		}
	}
	if !named {
		return nil
	}
	var landed distinct
	for _, w := range words {
		if strings.HasPrefix(w, "-") || !strings.ContainsAny(w, "./:") || landed.full() {
			continue
		}
		if at := strings.IndexAny(w, "?#"); at >= 0 {
			w = w[:at]
		}
		rest := w
		if _, behind, ok := strings.Cut(w, "://"); ok {
			rest = behind
		}
		base := "index.html"
		if strings.Contains(rest, "/") && !strings.HasSuffix(w, "/") {
			base = path.Base(w)
		}
		landed.add(dir + base)
	}
	return landed.list
}

// landArchive names the archive that tar writes and, of the old spelling of its
// options, the directory that it changes to.
func landArchive(words []string) (landed []string) {
	if len(words) == 0 {
		return nil
	}
	writes, file, old := false, "", 0
	if !strings.HasPrefix(words[0], "-") {
		// The values of the letters follow in their order.
		at := 0
		for _, letter := range words[0] {
			if !strings.ContainsRune(tarValued, letter) {
				continue
			}
			if at++; at == len(words) {
				break
			}
			switch letter {
			case 'f':
				file = words[at]
			case 'C':
				landed = append(landed, words[at])
			}
		}
		old = 1
		writes = strings.ContainsAny(words[0], "cruA")
	}
	for i, w := range words[old:] {
		next := ""
		if old+i+1 < len(words) {
			next = words[old+i+1]
		}
		switch name, value, attached := strings.Cut(w, "="); {
		case strings.HasPrefix(w, "--"):
			writes = writes || len(w) > 4 && slices.ContainsFunc(tarWriting, func(o string) bool { return strings.HasPrefix(o, w) })
			if len(name) > 4 && strings.HasPrefix("--file", name) {
				if file = value; !attached {
					file = next
				}
			}
		case strings.HasPrefix(w, "-"):
			writes = writes || strings.ContainsAny(w[1:], "cruA")
			if at := strings.IndexByte(w, 'f'); at >= 0 {
				if file = w[at+1:]; file == "" {
					file = next
				}
			}
		}
	}
	if writes && file != "" {
		landed = append(landed, file)
	}
	return landed
}

// tarValued are the letters of tar's options that take a value.
const tarValued = "bCfFgHIKLNTVX"

var tarWriting = []string{"--create", "--append", "--update", "--catenate", "--concatenate"}

// landGitConfig names the configuration file that `git config` changes so that
// git runs something, or that could: another file is then run sooner or later.
func landGitConfig(words []string) []string {
	if len(words) < 2 || words[0] != "config" {
		return nil
	}
	file, hot, operands := ".git/config", false, 0
	for i, w := range words[1:] {
		switch {
		case w == "--global":
			file = "~/.gitconfig"
		case w == "--system":
			file = "/etc/gitconfig"
		case strings.HasPrefix(w, "--get") || w == "--list" || w == "-l":
			return nil
		case w == "-f" || w == "--file":
			if i+2 < len(words) {
				file = words[i+2]
			}
		case strings.HasPrefix(w, "--file="):
			file = w[len("--file="):]
		case w == "-e" || w == "--edit" || w == "edit":
			hot, operands = true, 2
		case !strings.HasPrefix(w, "-"):
			operands++
			hot = hot || runningKey(w)
		}
	}
	if !hot || operands < 2 {
		return nil
	}
	return []string{file}
}

// runningKey reports whether a git configuration key names a program, or
// another file of configuration.
func runningKey(key string) bool {
	key = strings.ToLower(key)
	section, _, ok := strings.Cut(key, ".")
	return ok && (runningSections[section] || strings.HasPrefix(section, "includeif") || runningKeys[key] || runningLast[key[strings.LastIndexByte(key, '.')+1:]])
}

var (
	runningSections = wordSet("alias include includeif filter credential pager gpg protocol url difftool mergetool man browser guitool sendemail trailer")
	runningKeys     = wordSet(`core.hookspath core.fsmonitor core.sshcommand core.pager core.editor core.askpass core.gitproxy core.worktree core.attributesfile
		core.alternaterefscommand sequence.editor init.templatedir interactive.difffilter diff.external uploadpack.packobjectshook commit.template`)
	runningLast = wordSet("textconv command driver uploadpack receivepack proxy vcs update cmd path program helper smudge clean process")
)
