package decide

import "testing"

// What is denied is found however a text writes it, in the mode that allows the rest.
var hiddenTexts = []struct {
	list  ListsSpec
	texts []string
}{
	{
		ListsSpec{Commands: []string{"rm", "git push"}},
		[]string{
			`: ${x:=rm}; $x y`, `: ${p:=push}; git $p`, `declare -n r=x; x=rm; $r y`, `x=rm; declare -n r=x; $r y`, `x=rm; nameref r=x; $r y`, `typeset -n r=x; x=push; git $r`,
			`f(){ $1$2 y; }; f r m`, `: "${x=rm}"; $x y`, `echo ${x:=rm}; $x y`, `[ ${x:=rm} ]; $x y`, `BASH_ENV=<(echo rm y) bash -c :`, `export BASH_ENV=<(echo rm y); bash -c :`,
			`env BASH_ENV=<(echo rm y) bash -c :`, `printf -v 'a[$(rm y)]' x`, `test -v 'a[$(rm y)]'`, `[ -v 'a[$(rm y)]' ]`, `[[ -v 'a[$(rm y)]' ]]`, `x='a[$(rm y)]'; echo $((x))`,
			`x='a[$(rm y)]'; ((x))`, `x='a[$(rm y)]'; [[ x -eq 1 ]]`, `x='a[$(rm y)]'; let x`, `x='a[$(rm y)]'; echo ${b[x]}`, `x='a[$(rm y)]'; test -v "$x"`,
			`[[ 'a[$(rm y)]' -eq 1 ]]`, "test -v 'a[`rm y`]'", `BASH_ALIASES[ls]=rm; ls`, `shopt -s expand_aliases; BASH_ALIASES[ls]='rm y'; ls`, `BASH_ALIASES=([ls]=rm); ls`,
			`declare -A BASH_ALIASES=([ls]='rm y'); ls`, `aliases[ls]=rm; ls`, `BASH_CMDS[ls]=/bin/rm; ls y`,
		},
	},
	{
		ListsSpec{Paths: []string{"~/private/**"}},
		[]string{
			`sh -c 'cat $0/$1' /home/me private/x`, `a=(~ private); IFS=/; cat "${a[*]}/x"`, `a=(/home/me private x); IFS=/; cat "${a[*]}"`, `: ${x:=~/private}; cat $x/y`,
			`declare -n r=x; x=~/private; cat $r/y`,
		},
	},
}

func TestHiddenTextsAreHits(t *testing.T) {
	for _, rows := range hiddenTexts {
		for _, text := range rows.texts {
			if d := decideBypassing(t, rows.list, text); d.Code != CodeDeniedByPolicy {
				t.Errorf("%q: %s: %s", text, d.Code, d.Reason)
			}
		}
	}
}

// A list that hits what it does not name would be taken away.
func TestPlainTextsAreNoHits(t *testing.T) {
	list := ListsSpec{Commands: []string{"rm", "git push"}, Domains: []string{"evil.example"}, Paths: []string{"~/private/**"}}
	for _, text := range []string{
		// values, functions, arrays
		`: ${x:=ls}; $x y`, `f(){ $1 y; }; f ls`, `log() { echo "$*"; }; log rm; log push`, `set -euo pipefail; ls`, `set -- a b; echo $1`, `declare -n r=x; x=ls; $r`, `a=(1 2 3); echo "${a[@]:1}" ${a[0]}`, `echo "${1:-rm}"`, `for f in a b; do g "$f"; done`,
		`die() { echo "$1" >&2; exit 1; }; test -f x || die "no x: rm it"; shift`, `BASH_ENV=x ls`, `ENV=prod make x; echo "rm y"`, `declare -A m=([rm]=1); echo ${m[rm]}`, `a[0]=rm; echo ${a[0]}`, `[[ $x =~ ^a[0-9]+$ ]]`, `test -f 'a[1]'`, `git commit -m 'use a[$(rm)]'`,
		// what makes another name or a script of something else
		`ln -s ../x y; ./y`, `cp a b; ./b x`, `echo 'ls' > x.sh; bash x.sh`, `echo 'rm y' > notes.md; cat notes.md; ls`, `echo 'rm y' > notes.md; bash x.sh`, `cp rm.txt z; cat z`, `ln -s /bin/ls z; ./z`, `echo 'git push when done' >> TODO; make test`,
		// wrappers
		`make rm`, `fd rm`, `fd -e go rm src`, `echo 'ls' | at now`, `conda run ls`, `cmake -E copy a b`, `docker run x ls`, `npm run rm`, `go test -run rm ./...`, `make -f Makefile push`, `git submodule foreach git pull`, `doppler run -- ls`, `heroku run ls`, "make -f - <<E\nall:\n\tls rm\nE",
		// hosts
		`curl ${x:-good.example}`, `curl https://good.example/evil.example`, `dig good.example`, `ssh -L 1:good.example:80 x`, `git clone git@good.example:a/b`, `go get good.example/x`, `echo url=good.example | curl -K -`, `set -- evil; echo $1`, `pip install evil`, `docker pull evil/example`,
		// paths
		`cat private/x`, `cat ~/privat/x`, `x=/home/me/privat/x; cat ${x::-1}`, `n=3; x=abcdef; echo ${x:0:n}`, `read a b <<< "1 2"; cat $a$b`, `cat $(pwd)/private/x`, `cd -; cat x`, `CDPATH=.; cd x; cat private/x`, `sudo cat private/x`, `echo a b | xargs -n2 sh -c 'echo $0/$1'`, `tar -C build -cf - private`, `tar -czf x.tgz private`,
	} {
		if d := decideBypassing(t, list, text); d.Code == CodeDeniedByPolicy {
			t.Errorf("%q: %s", text, d.Reason)
		}
	}
}

func decideBypassing(t *testing.T, list ListsSpec, text string) Decision {
	t.Helper()
	p := policyOf(t, PolicySpec{InlineContext: "trust", Home: "/home/me", Deny: list})
	s, err := p.Session(ContextSpec{Mode: new("bypass-approvals"), WorkspaceRoot: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	return p.Decide(s, shellCall(text))
}
