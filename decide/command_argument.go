package decide

import (
	"strings"

	"github.com/agent-pdp/pdp/internal/shell"
)

// commandArgument returns the command line that the tool is given, and whether it is
// one: a text, or for a shell by another name than run_shell a list of words as well.
// Where the tool is told a directory to work in, the text begins with changing to it.
func (f *facts) commandArgument() (text string, ok bool) {
	command := f.call.Arguments.Get("command")
	text, ok = command.AsString()
	switch {
	case f.tool != nil && f.tool.runner:
		text, ok = f.runnerCommand()
	case !ok:
		text = command.Text()
	}
	if text == "" || !f.runs {
		return text, ok && text != ""
	}
	for _, m := range f.call.Arguments.Members() {
		name := plainName(m.Name)
		dir, isText := m.Value.AsString()
		switch {
		case workingDirectory[name] && isText && dir != "":
			text = "cd " + quoted(behindDashes(dir)) + " && " + text
		case (workingDirectory[name] || name == "env" || name == "environment") && m.Value.Truthy():
			ok = false
		}
	}
	return text, ok
}

// behindDashes keeps cd from taking a directory for an option, or for the one before.
func behindDashes(dir string) string {
	if strings.HasPrefix(dir, "-") {
		return "./" + dir
	}
	return dir
}

// runnerCommand finds the command line under the names that runtimes give the
// argument. Of several nobody knows which one counts.
func (f *facts) runnerCommand() (text string, ok bool) {
	var texts []string
	ok = true
	for _, m := range f.call.Arguments.Members() {
		if !commandNames[plainName(m.Name)] || m.Value.Kind() == Null {
			continue
		}
		one, isText := m.Value.AsString()
		if !isText {
			one, isText = wordsAsText(m.Value)
		}
		ok = ok && isText
		texts = append(texts, one)
	}
	return strings.Join(texts, "\n"), ok && len(texts) == 1
}

// wordsAsText writes a list of words as a shell would be given them.
func wordsAsText(list Value) (text string, ok bool) {
	if list.Kind() != List {
		return list.Text(), false
	}
	var words []string
	for _, m := range list.Members() {
		word, isText := m.Value.AsString()
		if !isText {
			return list.Text(), false
		}
		if strings.Trim(word, plainWord) != "" || word == "" {
			word = quoted(word)
		}
		words = append(words, word)
	}
	return strings.Join(words, " "), len(words) > 0
}

const plainWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-"

// quoted writes one word for a POSIX shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// Names of arguments, without case and separators.
var (
	commandNames     = wordSet("command commands cmd commandline shellcommand bashcommand script code input argv")
	workingDirectory = wordSet("cwd workdir workingdir workingdirectory dirpath directory dir basedir basedirectory currentdirectory")
)

// dialect is the shell that reads the command.
func (f *facts) dialect() shell.Dialect {
	if f.tool != nil && f.tool.powershell {
		return shell.PowerShell
	}
	return f.session.dialect
}
