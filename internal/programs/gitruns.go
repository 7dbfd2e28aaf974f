package programs

import (
	"slices"
	"strings"
)

// gitRuns returns the command lines of git's sub-commands and options.
func gitRuns(words []string) (texts []string) {
	if at := slices.Index(words, "bisect"); at >= 0 && at+2 < len(words) && words[at+1] == "run" {
		texts = append(texts, strings.Join(words[at+2:], " "))
	}
	if at := slices.Index(words, "foreach"); at > 0 {
		for at++; at < len(words) && isOption(words[at]); at++ {
		}
		texts = append(texts, strings.Join(words[at:], " "))
	}
	if at := slices.IndexFunc(words, func(w string) bool { return gitPushes[w] }); at >= 0 {
		texts = append(texts, "git push "+strings.Join(words[at+1:], " "))
	}
	for _, part := range partsThatPush {
		at := slices.Index(words, part.name)
		if at < 0 {
			continue
		}
		if push := slices.Index(words[at:], part.push); push > 0 && words[at+push-1] != "-P" && words[at+push-1] != "--prefix" {
			texts = append(texts, "git push "+strings.Join(words[at+push+1:], " "))
		}
	}
	if at := slices.Index(words, "for-each-repo"); at >= 0 {
		for at++; at < len(words) && isOption(words[at]); at++ {
		}
		texts = append(texts, "git "+strings.Join(words[at:], " "))
		if at < len(words) && words[at-1] == "--config" { // its value stands before the sub-command
			texts = append(texts, "git "+strings.Join(words[at+1:], " "))
		}
	}
	for i, w := range words {
		if len(texts) > maxEmbedded {
			break // more than are looked at
		}
		if command, ok := strings.CutPrefix(w, "ext::"); ok {
			texts = append(texts, strings.ReplaceAll(command, "% ", " "))
		}
		switch key, value, set := strings.Cut(strings.TrimPrefix(w, "-c"), "="); {
		case !gitRunsKey(key):
		case set:
			texts = append(texts, strings.TrimPrefix(value, "!"))
		case i+1 < len(words): // git config KEY VALUE
			texts = append(texts, strings.TrimPrefix(words[i+1], "!"))
		}
	}
	texts = append(texts, optionTexts(gitCommandOptions, words)...)
	for i := range gitOptionsOf {
		if at := slices.Index(words, gitOptionsOf[i].sub); at >= 0 {
			texts = append(texts, optionTexts(gitOptionsOf[i].options, words[at+1:])...)
		}
	}
	return texts
}

// gitPushes are the programs with which git push does its work.
var gitPushes = wordSet("send-pack http-push")

// partsThatPush are sub-commands of git with one of their own that publishes.
var partsThatPush = []struct{ name, push string }{{"subtree", "push"}, {"lfs", "push"}, {"svn", "dcommit"}, {"p4", "submit"}}

// gitRunsKey reports whether git runs the value of a setting.
func gitRunsKey(key string) bool {
	key = strings.ToLower(key)
	section, _, ok := strings.Cut(key, ".")
	if !ok {
		return false
	}
	return section == "pager" || slices.ContainsFunc(gitRunningKeys, func(end string) bool { return strings.HasSuffix(key, end) })
}

// gitRunningKeys are the ends of the names of settings whose value git runs.
var gitRunningKeys = strings.Fields(`pager editor command .cmd program helper askpass fsmonitor .external textconv .driver .clean .smudge .process
	gitproxy uploadpack receivepack difffilter .browser tocmd cccmd`)

var (
	gitCommandOptions = commandsOf(`--exec --upload-pack --receive-pack --extcmd --tree-filter --index-filter --msg-filter --env-filter --commit-filter
		--tag-name-filter --parent-filter --setup --sendmail-cmd --to-cmd --cc-cmd --open-files-in-pager --ext-diff-cmd`)
	gitOptionsOf = [...]struct {
		sub     string
		options commandSet
	}{
		{"rebase", commandsOf("-x")}, {"difftool", commandsOf("-x")}, {"clone", commandsOf("-u")}, {"grep", commandsOf("-O")},
	}
)
