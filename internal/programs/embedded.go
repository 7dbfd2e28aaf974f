package programs

import (
	"slices"
	"strings"
)

// Embedded lists the command lines that stand in scripts and options of the
// command's programs: system("…") of awk, e of sed, --filter of split. Whatever
// may be one is listed; all is false if there are more than can be.
func (t *Table) Embedded(words []string) (texts []string, all bool) {
	looked, work, from := 0, 0, t.handedFrom(words)
	for i, w := range words {
		if i > 0 && i < from {
			continue
		}
		name, p := t.lookup(w)
		if !embeds(name, p) {
			continue
		}
		looked++
		if work += len(words) - i; looked > maxRules || looked > 1 && work > maxEmbeddedWork {
			return texts, false
		}
		rest := own(words, i)[1:]
		if options := commandOptions[name]; options != nil {
			texts = append(texts, optionTexts(options, rest)...)
		}
		switch {
		case name == "sed" || name == "gsed":
			texts = append(texts, sedRuns(rest)...)
		case name == "git":
			texts = append(texts, gitRuns(rest)...)
		case makers[name]:
			texts = append(texts, makeRuns(rest)...)
		case pagers[name] || marked[name]:
			texts = append(texts, behindMarks(rest)...)
		case name == "socat":
			texts = append(texts, socatRuns(rest)...)
		case holdsCode(name, p):
			texts = append(texts, quotedTexts(rest)...)
			if awks[name] && slices.ContainsFunc(rest, awkRuns) {
				texts = append(texts, awkValues(rest)...)
			}
		}
		if len(texts) > maxEmbedded {
			break
		}
	}
	return texts[:min(len(texts), maxEmbedded)], len(texts) <= maxEmbedded
}

// maxEmbeddedWork bounds the words that are looked at behind all programs of one
// command.
const maxEmbeddedWork = 1 << 12

func embeds(name string, p *program) bool {
	return commandOptions[name] != nil || name == "sed" || name == "gsed" || name == "git" || name == "socat" || marked[name] || pagers[name] || holdsCode(name, p)
}

func holdsCode(name string, p *program) bool {
	return codeHolders[name] || p != nil && p.kind == Interpreter && !textShells[name]
}

// ScriptProgram returns the first program of the command that runs command lines
// which stand in its script or its input.
func (t *Table) ScriptProgram(words []string) string {
	for i, w := range t.HandedOver(words) {
		if name, p := t.lookup(w); pagers[name] || marked[name] || holdsCode(name, p) || makers[name] && makesInput(words[i+1:]) || imageFromInput(name, words[i+1:]) {
			return w
		}
	}
	return ""
}

// socatRuns returns the command lines of socat's addresses: EXEC:'CMD',pty.
func socatRuns(words []string) (texts []string) {
	for _, w := range words {
		for address := range strings.SplitSeq(w, "!!") {
			kind, rest, ok := strings.Cut(address, ":")
			if kind = strings.ToLower(kind); ok && (kind == "exec" || kind == "system" || kind == "shell") {
				text, _, _ := strings.Cut(rest, ",")
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// maxEmbedded bounds the command lines of one command.
const maxEmbedded = 64

// commandOptions are options that are followed by a command line, by program; of
// NAME=VALUE as the value, what stands behind the last of the marks counts.
var commandOptions = map[string]commandSet{
	"split":     commandsOf("--filter"),
	"tar":       commandsOf("--checkpoint-action --to-command --use-compress-program -I --rsh-command --rmt-command --info-script --new-volume-script -F"),
	"gtar":      commandsOf("--checkpoint-action --to-command --use-compress-program -I --rsh-command --rmt-command --info-script --new-volume-script -F"),
	"bsdtar":    commandsOf("--use-compress-program"),
	"rsync":     commandsOf("-e --rsh --rsync-path"),
	"scp":       commandsOf("-S -o"),
	"sftp":      commandsOf("-S -o"),
	"ssh":       commandsOf("-o"),
	"sort":      commandsOf("--compress-program"),
	"man":       commandsOf("-P --pager -H --html"),
	"script":    commandsOf("-c --command"),
	"su":        commandsOf("-c --command"),
	"runuser":   commandsOf("-c --command"),
	"flock":     commandsOf("-c --command"),
	"zip":       commandsOf("-TT --unzip-command"),
	"tcpdump":   commandsOf("-z"),
	"wget":      commandsOf("--use-askpass"),
	"make":      commandsOf("--eval -E"),
	"gmake":     commandsOf("--eval -E"),
	"fd":        commandsOf("-x -X --exec --exec-batch"),
	"fdfind":    commandsOf("-x -X --exec --exec-batch"),
	"go":        commandsOf("-exec -toolexec -vettool"),
	"cargo":     commandsOf("--config"),
	"npm":       commandsOf("--script-shell --node-gyp --git --editor --viewer --browser --shell"),
	"pnpm":      commandsOf("--script-shell --node-gyp --git --editor --viewer --browser --shell"),
	"yarn":      commandsOf("--script-shell --node-gyp --git --editor --viewer --browser --shell"),
	"helm":      commandsOf("--post-renderer"),
	"just":      commandsOf("-c --command"),
	"rake":      commandsOf("-e --execute"),
	"bazel":     commandsOf("--run_under"),
	"bazelisk":  commandsOf("--run_under"),
	"delta":     commandsOf("--pager"),
	"ugrep":     commandsOf("--pager --filter --view"),
	"svn":       commandsOf("--diff-cmd --diff3-cmd --editor-cmd --merge-cmd"),
	"docker":    commandsOf("--entrypoint"),
	"podman":    commandsOf("--entrypoint"),
	"flatpak":   commandsOf("--command"),
	"asciinema": commandsOf("-c --command"),
	"sbatch":    commandsOf("--wrap"),
	"scrot":     commandsOf("-e --exec"),
	"ttyrec":    commandsOf("-e"),
	"az":        commandsOf("--scripts"),
	"ansible":   commandsOf("-a --args"),
	"gcloud":    commandsOf("--command"),
	"doppler":   commandsOf("--command"),
	"vagrant":   commandsOf("-c --command"),
	"pandoc":    commandsOf("-F --filter"),
	"gcc":       commandsOf("-wrapper"),
	"g++":       commandsOf("-wrapper"),
	"cc":        commandsOf("-wrapper"),
	"c++":       commandsOf("-wrapper"),
	"gfortran":  commandsOf("-wrapper"),
	"clang":     commandsOf("-wrapper"),
	"clang++":   commandsOf("-wrapper"),
	"apt":       commandsOf("-o --option"),
	"apt-get":   commandsOf("-o --option"),
	"meson":     commandsOf("--wrapper"),
	"install":   commandsOf("--strip-program"),
	"gpg":       commandsOf("--photo-viewer"),
	"mvn":       commandsOf("-Dexec.executable"),
	"entr":      commandsOf("-s"),
	"fzf":       commandsOf("--preview --bind"),
	"rg":        commandsOf("--pre --hostname-bin"),
	"bat":       commandsOf("--pager"),
	"nc":        commandsOf("-e -c --exec --sh-exec"),
	"ncat":      commandsOf("-e -c --exec --sh-exec"),
	"parallel":  commandsOf("--tmuxpane"),
	"psql":      commandsOf("-c --command"),
	"mysql":     commandsOf("-e --execute"),
	"mariadb":   commandsOf("-e --execute"),
}

// commandSet holds options that are followed by a command line, and the shorter
// forms of long ones, which are false.
type commandSet map[string]bool

func commandsOf(options string) commandSet {
	const shortest = len("--ab")
	set := commandSet{}
	for option := range strings.FieldsSeq(options) {
		for n := shortest; n < len(option) && strings.HasPrefix(option, "--"); n++ {
			if _, known := set[option[:n]]; !known {
				set[option[:n]] = false
			}
		}
		set[option] = true
	}
	return set
}

// shortens reports whether a long option may be one of the set, or short for one.
func (set commandSet) shortens(name string) bool {
	_, ok := set[name]
	return ok
}

// optionTexts returns the values of the options, attached or in the next word.
func optionTexts(options commandSet, words []string) (texts []string) {
	for i, w := range words {
		if len(texts) > maxEmbedded {
			break // more than are looked at
		}
		if w == "" || w[0] != '-' && !options[w] {
			continue
		}
		name, value, attached := strings.Cut(w, "=")
		long := strings.HasPrefix(w, "--")
		switch {
		case options[w] && i+1 < len(words):
			value = words[i+1]
		case attached && options[name]: // -exec=CMD
		case long && attached && options.shortens(name):
		case long && options.shortens(w) && i+1 < len(words):
			value = words[i+1]
		case !long && len(w) > 2 && w[0] == '-' && options[w[:2]]:
			value = w[2:]
		case !long && len(w) > 2 && w[0] == '-' && options["-"+w[len(w)-1:]] && i+1 < len(words): // a cluster: -avze
			value = words[i+1]
		default:
			continue
		}
		if name == "-wrapper" { // its words are separated by commas
			value = strings.ReplaceAll(value, ",", " ")
		}
		texts = append(texts, value)
		for _, mark := range [...]string{"exec=", "ProxyCommand=", "ProxyCommand ", "LocalCommand=", "KnownHostsCommand=", `\!`, "system ", "execute(", "become(", "reload(", "runner=", "wrapper=", "linker=", "rustc=", "Invoke::=", "Invoke="} {
			if _, inner, ok := strings.Cut(value, mark); ok {
				texts = append(texts, strings.Trim(inner, ")[]\"'"))
			}
		}
	}
	return texts
}

// pagers and editors take commands that begin with a colon or an exclamation
// mark.
var pagers = wordSet("less more most pager vi vim nvim view vimdiff ex ed red gvim")

// marked are other programs whose input may hold !CMD or system CMD.
var marked = wordSet("ftp sftp lftp psql mysql mariadb tftp telnet")

// behindMarks returns what stands behind the marks of a shell command in any
// word: +!CMD, -c ':!CMD', '+r !CMD', -c 'call system("CMD")'.
func behindMarks(words []string) (texts []string) {
	for _, w := range words {
		for rest := w; len(texts) <= maxEmbedded; {
			_, inner, ok := strings.Cut(rest, "!")
			if !ok {
				break
			}
			texts = append(texts, inner)
			rest = inner
		}
		for _, mark := range [...]string{`\!`, "system "} {
			if _, inner, ok := strings.Cut(w, mark); ok {
				texts = append(texts, inner)
			}
		}
		if mentions(w, "system", "term", "job_start", "execute") {
			texts = append(texts, quoted(w)...)
			if _, inner, ok := strings.Cut(w, "term"); ok {
				texts = append(texts, strings.TrimLeft(inner, "inal"))
			}
		}
	}
	return texts
}

// codeHolders are programs whose words hold code in which a text may be a
// command line, besides the interpreters.
var codeHolders = wordSet(`awk gawk mawk nawk original-awk sqlite3 duckdb emacs gdb lldb osascript jshell tclsh expect octave gnuplot m4 jq dc bc
	mutt irb pry groovy scala racket guile sbcl clisp`)

// runningCalls are what code says that runs a command.
var runningCalls = []string{
	"system", "exec", "popen", "Popen", "spawn", "subprocess", "run", "call", "check_output", "getline", "shell", "|", "`", "qx", "!", "passthru",
	"syscmd", "fork", "Process", "Command", "sh(",
}

var awks = wordSet("awk gawk mawk nawk original-awk")

// awkRuns reports whether a word may be a script that runs a command.
func awkRuns(w string) bool {
	return mentions(w, "system", "getline") || strings.IndexByte(w, '{') >= 0 && strings.Contains(strings.ReplaceAll(w, "||", ""), "|")
}

// awkValues are the values that a script of awk is given, which it may run.
func awkValues(words []string) (values []string) {
	assigns := func(w string) bool { return strings.HasPrefix(w, "-v") || strings.HasPrefix(w, "--as") }
	for i, w := range words {
		if !assigns(w) && (i == 0 || !assigns(words[i-1])) || len(values) > maxEmbedded {
			continue
		}
		if _, attached, ok := strings.Cut(w, "="); ok && strings.HasPrefix(w, "--as") {
			w = attached
		}
		if _, value, ok := strings.Cut(w, "="); ok {
			values = append(values, value)
		}
	}
	return values
}

// quotedTexts returns the texts in code that runs something, and what follows
// the commands of programs that have one for a shell.
func quotedTexts(words []string) (texts []string) {
	for _, w := range words {
		if !strings.ContainsAny(w, "\"'` !([{") || !mentions(w, runningCalls...) { // most words hold no text
			continue
		}
		texts = append(texts, quoted(w)...)
		for _, mark := range [...]string{"shell ", ".system ", ".shell ", "!", "system ", "exec ", "spawn "} {
			if _, inner, ok := strings.Cut(w, mark); ok {
				texts = append(texts, inner)
			}
		}
	}
	return texts
}

// quoted lists the quoted texts in code, and those of each bracket together:
// ["git", "push"].
func quoted(code string) (texts []string) {
	var together []string
	flush := func() {
		if len(together) > 1 && len(texts) <= maxEmbedded {
			texts = append(texts, strings.Join(together, " "))
		}
		together = nil
	}
	for i := 0; i < len(code) && len(texts) <= maxEmbedded; i++ {
		switch q := code[i]; q {
		case '"', '\'', '`':
			end := i + 1
			for end < len(code) && code[end] != q {
				if code[end] == '\\' {
					end++
				}
				end++
			}
			text := strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\\`, `\`).Replace(code[i+1 : min(end, len(code))])
			texts, together = append(texts, text), append(together, text)
			if inner, _, ok := strings.Cut(text, "'"); ok && q == '`' { // m4 ends its quotes so
				texts = append(texts, inner)
			}
			i = end
		case '(', '[', '{':
			if q != '[' || !strings.HasSuffix(strings.TrimRight(code[:i], " \t\n"), ",") { // run("a", ["b"]) is one command
				together = nil
			}
			if i >= 2 && code[i-2] == '%' || i >= 2 && code[i-2:i] == "qx" || i >= 2 && (code[i-2:i] == "%x" || code[i-2:i] == "%q") {
				if end := strings.IndexAny(code[i+1:], ")]}"); end > 0 {
					texts = append(texts, code[i+1:i+1+end])
				}
			}
		case ')', ']', '}', ';':
			flush()
		}
	}
	flush()
	return texts
}

// makeRuns returns the command lines of makefiles and variables in make's words.
func makeRuns(words []string) (texts []string) {
	for i, w := range words {
		name, value, set := strings.Cut(w, "=")
		switch {
		case set && (makePrograms[name] || strings.HasSuffix(name, ":")):
			texts = append(texts, value)
		case strings.Contains(w, "(shell") || strings.Contains(w, "{shell") || strings.ContainsAny(w, "\n;") || i > 0 && (words[i-1] == "--eval" || words[i-1] == "-E"):
			texts = append(texts, recipes(w))
		}
	}
	return texts
}

// makePrograms are the variables of make that hold a program.
var makePrograms = wordSet("SHELL CC CXX CPP LD AR AS FC RM INSTALL GO CARGO PYTHON NODE MAKE")

// recipes is a makefile with its recipes as a shell gets them.
func recipes(makefile string) string {
	text := shellCalls.Replace(makefile)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimLeft(strings.ReplaceAll(line, ";", "\n"), " \t@-+")
	}
	return strings.Join(lines, "\n")
}

var shellCalls = strings.NewReplacer("$(shell ", "$(", "${shell ", "$(", "$$", "$")

// makesInput reports whether make's words tell it to read its input as a makefile.
func makesInput(words []string) bool {
	for i, w := range words {
		option, value, attached := strings.Cut(w, "=")
		switch {
		case w == "-f" && i+1 < len(words), strings.HasPrefix(w, "--f") && !attached && i+1 < len(words), strings.HasPrefix(w, "--mak") && !attached && i+1 < len(words):
			value = words[i+1]
		case attached && (strings.HasPrefix(option, "--f") || strings.HasPrefix(option, "--mak")):
		case strings.HasPrefix(w, "-f"):
			value = w[2:]
		default:
			continue
		}
		if inputFiles[value] || strings.HasPrefix(value, "<(") {
			return true
		}
	}
	return len(words) > 0 && words[len(words)-1] == "-f" // what <(…) stands for is no word
}

// InputTexts lists the command lines in a text that is the input of the program
// of that name, as ScriptProgram returns it.
func (t *Table) InputTexts(name, text string) (texts []string, all bool) {
	switch name := t.Name(name); {
	case makers[name]:
		return []string{recipes(text)}, true
	case listed[name]: // in quotes, as the value of a name
		_, scripts, found := strings.Cut(text, `"scripts"`)
		if !found {
			_, scripts, _ = strings.Cut(text, `"tasks"`)
		}
		texts = quoted(scripts)
		return texts, len(texts) <= maxEmbedded
	case builders[name]:
		return buildRuns(text)
	}
	return t.Embedded([]string{name, text})
}

var makers = wordSet("make gmake just task")

// listed are the programs that run what a file of theirs holds in quotes.
var listed = wordSet("npm yarn pnpm bun deno composer")
