package programs

import "strings"

// printsVariables are programs that print every variable of the shell or its
// environment if no operand names another task.
var printsVariables = wordSet("env export declare typeset readonly")

// Reveals returns the word with which the command prints secrets, whatever
// entry might vouch for it: all variables, a token, a cluster's secret; behind
// wrappers as well.
func (t *Table) Reveals(words []string) (at int, ok bool) {
	for i := range t.HandedOver(words) {
		if at, ok := t.reveals(words[i:]); ok {
			return i + at, true
		}
	}
	return 0, false
}

// PrintsVariables reports whether the command itself prints all variables, also
// those of other processes, or any that it is asked for.
func (t *Table) PrintsVariables(words []string) bool {
	if len(words) == 0 {
		return false
	}
	name, p := t.lookup(words[0])
	if name == "ps" {
		_, ok := showsEnvironments(words)
		return ok
	}
	return p != nil && (name == "printenv" || name == "set" && len(words) == 1 || printsVariables[name] && all(words[1:], isOption))
}

func (t *Table) reveals(words []string) (at int, ok bool) {
	p := t.program(words[0])
	switch {
	case p == nil:
		return 0, false
	case t.PrintsVariables(words):
		return 0, true
	}
	v := vetting{table: t, mode: Precise}
	for i := range p.rules {
		if found, hit := v.hit(&p.rules[i], words, 1); hit && found.Effect == Reveals {
			return found.Index, true
		}
	}
	if p.secrets != nil {
		at = p.secrets(words)
	}
	return at, at > 0
}

// showsEnvironments finds the letter with which ps prints what each process was
// given in its environment: e without a dash, or -E.
func showsEnvironments(words []string) (at int, ok bool) {
	for i, w := range words {
		switch {
		case i == 0 || w == "":
		case w[0] != '-':
			value := isOption(words[i-1]) && strings.Trim(words[i-1][len(words[i-1])-1:], "CuUgGpqtosNkO") == ""
			if !value && !strings.HasPrefix(words[i-1], "--") && strings.Trim(w, letters) == "" && strings.Contains(w, "e") {
				return i, true
			}
		case w[1:] != "" && w[1] != '-' && strings.Contains(w, "E"):
			return i, true
		}
	}
	return 0, false
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
