package programs

import (
	"slices"
	"strings"
)

// landCrontab names a user's table of jobs, unless crontab only lists it.
func landCrontab(words []string) []string {
	if slices.Contains(words, "-l") {
		return nil
	}
	return []string{"/var/spool/cron/crontab"}
}

// landAt names the queue of at, unless it only lists, prints or removes jobs.
func landAt(words []string) []string {
	if len(words) > 0 && slices.Contains([]string{"-l", "-c", "-r", "-d", "-V"}, words[0]) {
		return nil
	}
	return []string{"/var/spool/cron/atjobs"}
}

// landUnits names the directory in which systemctl changes what is started later.
func landUnits(words []string) []string {
	dir, changes := "/etc/systemd/system/", false
	for _, w := range words {
		switch {
		case w == "--user":
			dir = "~/.config/systemd/user/"
		case strings.HasPrefix(w, "-"):
		case changes:
			return []string{dir + w}
		default:
			changes = unitChanges[w]
		}
	}
	return nil
}

var unitChanges = wordSet("enable reenable link edit add-wants add-requires preset set-default")

// landTemplate names the hooks that git init copies from a template.
func landTemplate(words []string) []string {
	if words[0] != "init" || !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "--templ") }) {
		return nil
	}
	return []string{".git/hooks/pre-commit"}
}
