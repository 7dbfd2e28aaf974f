package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (*completionCmd) Help() string {
	return `Example:

  pdp completion bash > /etc/bash_completion.d/pdp
  pdp completion zsh > "${fpath[1]}/_pdp"
  pdp completion fish > ~/.config/fish/completions/pdp.fish`
}

func (c *completionCmd) Run(a *app) error {
	write := map[string]func([]node) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell]
	_, err := fmt.Fprint(a.stdout, write(nodesOf(a.model.Node, nil)))
	return err
}

// node is what can follow after some words of a command line.
type node struct {
	path   []string // the words, without the program's name
	words  []word
	values []flagValues
}

// flagValues are what can follow a flag that takes a value; nothing is known of
// most, which may be files.
type flagValues struct {
	flag    string
	choices []string
}

type word struct{ text, help string }

// nodesOf lists the command and those below it.
func nodesOf(n *kong.Node, path []string) []node {
	here := node{path: path}
	var below []node
	for _, child := range n.Children {
		here.words = append(here.words, word{child.Name, child.Help})
		below = append(below, nodesOf(child, append(path[:len(path):len(path)], child.Name))...)
	}
	for _, f := range n.Flags {
		here.words = append(here.words, word{"--" + f.Name, f.Help})
		if !f.IsBool() {
			here.values = append(here.values, flagValues{"--" + f.Name, chosen(f.EnumSlice())})
			if f.Short != 0 {
				here.values = append(here.values, flagValues{"-" + string(f.Short), chosen(f.EnumSlice())})
			}
		}
	}
	if len(n.Flags) == 0 || n.Flags[0].Name != "help" {
		here.words = append(here.words, word{"--help", "Show help."})
	}
	for _, p := range n.Positional {
		for _, choice := range chosen(p.EnumSlice()) {
			here.words = append(here.words, word{choice, ""})
		}
	}
	return append([]node{here}, below...)
}

// chosen leaves out the empty choice, which stands for the default.
func chosen(choices []string) []string {
	return slices.DeleteFunc(slices.Clone(choices), func(c string) bool { return c == "" })
}

func (n node) label() string { return strings.Join(n.path, " ") }

func (n node) plainWords() string {
	texts := make([]string, len(n.words))
	for i, w := range n.words {
		texts[i] = w.text
	}
	return strings.Join(texts, " ")
}

// walkCases are the branches by which a script finds the command that the
// words before the cursor name.
func walkCases(b *strings.Builder, nodes []node) {
	for _, n := range nodes {
		if len(n.path) > 0 {
			before := strings.Join(n.path[:len(n.path)-1], " ")
			fmt.Fprintf(b, "      '%s|%s') at='%s' ;;\n", before, n.path[len(n.path)-1], n.label())
		}
	}
}

func bashCompletion(nodes []node) string {
	var b strings.Builder
	b.WriteString(`# bash completion for pdp
_pdp() {
  local at='' words='' i
  local cur="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
  if [ "$cur" = '=' ]; then # --flag=value comes in three words
    cur=''
  elif [ "$before" = '=' ]; then
    before="${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at|${COMP_WORDS[i]}" in
`)
	walkCases(&b, nodes)
	b.WriteString("    esac\n  done\n  case \"$at\" in\n")
	for _, n := range nodes {
		fmt.Fprintf(&b, "    '%s') words='%s' ;;\n", n.label(), n.plainWords())
	}
	b.WriteString("  esac\n  case \"$at|$before\" in\n")
	for _, n := range nodes {
		for _, v := range n.values {
			fmt.Fprintf(&b, "    '%s|%s') words='%s' ;;\n", n.label(), v.flag, strings.Join(v.choices, " "))
		}
	}
	b.WriteString(`  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _pdp pdp
`)
	return b.String()
}

func zshCompletion(nodes []node) string {
	var b strings.Builder
	b.WriteString(`#compdef pdp
# zsh completion for pdp
_pdp() {
  local at='' i
  local -a choices
  for ((i = 2; i < CURRENT; i++)); do
    case "$at|${words[i]}" in
`)
	walkCases(&b, nodes)
	b.WriteString("    esac\n  done\n  case \"$at\" in\n")
	for _, n := range nodes {
		fmt.Fprintf(&b, "    '%s') choices=(", n.label())
		for _, w := range n.words {
			fmt.Fprintf(&b, " %s", shellQuote(w.text+":"+w.help))
		}
		b.WriteString(" ) ;;\n")
	}
	b.WriteString("  esac\n  case \"$at|${words[CURRENT-1]}\" in\n")
	for _, n := range nodes {
		for _, v := range n.values {
			fmt.Fprintf(&b, "    '%s|%s') choices=( %s ) ;;\n", n.label(), v.flag, strings.Join(v.choices, " "))
		}
	}
	b.WriteString(`  esac
  _describe -t commands pdp choices
  _files
}
if [ "$funcstack[1]" = "_pdp" ]; then _pdp "$@"; else compdef _pdp pdp; fi
`)
	return b.String()
}

func fishCompletion(nodes []node) string {
	var b strings.Builder
	b.WriteString(`# fish completion for pdp
function __pdp_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at|$word"
`)
	for _, n := range nodes {
		if len(n.path) > 0 {
			before := strings.Join(n.path[:len(n.path)-1], " ")
			fmt.Fprintf(&b, "      case '%s|%s'\n        set at '%s'\n", before, n.path[len(n.path)-1], n.label())
		}
	}
	b.WriteString("    end\n  end\n  test \"$at\" = \"$argv[1]\"\nend\n")
	for _, n := range nodes {
		for _, w := range n.words {
			kind := "-a '" + w.text + "'"
			if name, ok := strings.CutPrefix(w.text, "--"); ok {
				kind = "-l '" + name + "'"
			}
			fmt.Fprintf(&b, "complete -c pdp -n \"__pdp_at '%s'\" %s", n.label(), kind)
			for _, v := range n.values {
				if v.flag == w.text {
					fmt.Fprintf(&b, " -r -a '%s'", strings.Join(v.choices, " "))
				}
			}
			if w.help != "" {
				fmt.Fprintf(&b, " -d %s", fishQuote(w.help))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
