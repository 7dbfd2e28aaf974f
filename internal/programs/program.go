package programs

import "strings"

// class says how much the words behind a program's name matter.
type class uint8

const (
	plain       class = iota // its words are arguments, apart from the options in options.txt
	runner                   // runs another program, named in its words
	barred                   // a runner that the original engine never vouches for, whatever the entry says
	interpreter              // runs code: inline, from a file or from its input
)

// The programs of the original engine's two lists, and those that do the same.
var classes = func() map[string]class {
	m := map[string]class{}
	for _, row := range []struct {
		class class
		names string
	}{
		{barred, "xargs env nohup nice stdbuf timeout watch sudo doas ssh docker podman kubectl npx pnpx bunx uvx"},
		{runner, `time command exec eval builtin source . trap alias setsid ionice chrt flock chroot unshare nsenter script
			su runuser pkexec parallel entr busybox toybox strace ltrace gdb at batch crontab systemd-run ld.so pipx
			export declare typeset local readonly read unset let mapfile readarray compgen complete bind enable hash
			history fc set shopt coproc pushd popd printenv vim vi nvim view ex ed emacs nano less more rsh nsjail firejail
			bwrap proot fakeroot cpulimit taskset numactl caffeinate open xdg-open start expect osascript dbus-run-session
			setarch linux32 linux64 nix-shell flatpak-spawn gosu su-exec chpst s6-setuidgid eatmydata daemonize
			wait getopts - noglob nocorrect repeat foreach fzf sk xvfb-run valgrind perf hyperfine rr ccache sccache distcc
			unbuffer rlwrap tmux screen dtach sem chronic retry catchsegv pssh mosh sshpass cross-env env-cmd concurrently
			nodemon npm-run-all run-s run-p watchexec watchman git-shell env-update runcon sg newgrp setpriv prlimit
			ld-linux-x86-64.so.2 wsl winpty cscript wscript mshta rundll32 regsvr32 msbuild installutil forfiles pcalua`},
		{interpreter, `sh bash zsh dash ksh mksh ash fish csh tcsh elvish nu xonsh powershell pwsh cmd
			python pypy ipython node nodejs deno bun tsx ts-node ruby irb perl php lua luajit tclsh wish rscript r julia
			groovy scala guile racket sbcl clisp erl elixir iex ghci runghc runhaskell swift java jshell kotlin awk gawk mawk nawk sed gsed jq gojq yq`},
	} {
		for _, name := range strings.Fields(row.names) {
			m[name] = row.class
		}
	}
	// The script of these is an operand that can be read; options.txt and
	// scripts.go say what it may hold.
	for _, name := range strings.Fields("awk gawk mawk nawk sed gsed jq gojq yq") {
		m[name] = plain
	}
	return m
}()

// originalInterpreters and inlineCode are the original engine's test for
// inline code, which knows only exact spellings.
var (
	originalInterpreters = wordSet("sh bash zsh dash ksh fish powershell pwsh cmd python python3 node deno bun ruby perl php")
	inlineCode           = wordSet("-c -e --eval --command -Command -EncodedCommand")
	dangerous            = wordSet("-exec -execdir -delete -ok -okdir -fprintf")
	versionOnly          = wordSet("--version -V --help")
)

// programName reduces the first word to the name that the tables use: the last
// path component in lower case, without a Windows extension or a version.
func programName(word string) string {
	name := baseName(word)
	for _, ext := range []string{".exe", ".cmd", ".bat", ".com", ".ps1"} {
		name = strings.TrimSuffix(name, ext)
	}
	if _, ok := classes[name]; ok || harms[name] != nil {
		return name
	}
	if bare := strings.TrimRight(name, "0123456789.-"); bare != "" && bare != name {
		if classes[bare] == interpreter || harms[bare] != nil {
			return bare
		}
	}
	// macOS has the GNU programs under names such as gsort.
	if bare, ok := strings.CutPrefix(name, "g"); ok && harms[name] == nil && (harms[bare] != nil || classes[bare] != plain) {
		return bare
	}
	return name
}

func baseName(word string) string {
	word = strings.TrimRight(word, "/")
	return strings.ToLower(word[strings.LastIndexByte(word, '/')+1:])
}
