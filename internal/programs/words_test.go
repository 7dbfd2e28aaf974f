package programs_test

import (
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/programs"
)

func TestSedWords(t *testing.T) {
	for text, want := range map[string]bool{
		"sed -n 1,5p f": true, "sed -ne 1,5p f": true, "sed -n -e p -e 2d f": true, "sed -E s/a/b/ f g": true, "sed --expression=p f": true, "sed --expr=p f": true, "sed -e p w.txt": true, "sed p w": true, "sed -n --quiet p f": true,
		"sed -e 'w f' x": false, "sed -ew\\ f x": false, "sed -new\\ f x": false, "sed -ne 'w f' x": false, "sed -n -e p -e 'w f' x": false, "sed --expression='w f' x": false, "sed --e='w f' p": false, "sed --ex 'w f' p": false, "sed --expression 'w f' x": false,
		"sed 'w f' x": false, "sed p -e 'w f'": false, "sed -i p f": false, "sed -ni p f": false, "sed -Ei p f": false, "sed -i.bak p f": false, "sed --in-pl p f": false, "sed -f s f": false, "sed -f- f": false, "sed -nf s f": false, "sed --fil=s f": false, "sed -I p f": false, "sed -e": false, "sed -n": true,
	} {
		if got := vouched(t, "sed", text, programs.Strict); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// The word that asks is named, whatever stands before it.
func TestCulprit(t *testing.T) {
	for text, want := range map[string]int{
		"awk -F, '{print > \"x\"}' f": 2, "jq -r env f": 2, "sed -n -e p 'w f'": 0, "sed -n 'w f' g": 2, "date -u 0102": 2, "git fetch --force origin a:b": 4, "awk /a/ f": 0,
	} {
		words := split(t, text)
		found, ok := programs.Builtin().Vouch(words, 1, programs.Precise)
		if ok != (want == 0) || !ok && found.Index != want {
			t.Errorf("%q: %v %v", text, found, ok)
		}
	}
}

func TestAwkJqTarAndOthers(t *testing.T) {
	for text, want := range map[string]bool{
		"awk /a/ f": true, "awk '{print}' f": true, "awk -F: '{print NF}' f": true, "awk -v n=3 'NR==n' f": true, "awk 'BEGIN{print 1}'": true, "gawk '/a/{n++}END{print n}' f": true,
		"awk 'BEGIN{system'": false, "awk '@load x'": false, "awk 'BEGIN{getline x}'": false, "awk 'BEGIN{print ENVIRON}'": false, "awk 'BEGIN{ARGV[1]=2}'": false, "awk 'BEGIN{SYMTAB[1]}'": false, "awk -f x": false, "awk -i inplace /a/ f": false, "awk -l x /a/": false, "awk --file=x": false, "awk -E x": false, "mawk -W exec=x": false, "gawk -o /a/ f": false, "gawk --prof=x /a/": false, "gawk5.1 -f x": false,
		"jq . f": true, "jq -r .a.b f": true, "jq .environment f": true, "jq '.a[0]' f": true, "jq --arg a b .c f": true,
		"jq env": false, "jq -n env.HOME": false, "jq '[env]'": false, "jq 'import \"x\" as x; .'": false, "jq 'include \"x\"; .'": false, "jq -f x f": false, "jq -L x . f": false, "jq --from-file x": false, "yq -i .a=1 f": false, "yq 'load_str' f": false,
		"tar tf a.tar": true, "tar -tvf a.tgz": true, "tar czf a.tgz src": true, "tar -xf a.tar -C sub": true,
		"tar tIf x a.tar": false, "tar cFf x a": false, "tar -I x -tf a": false, "tar --use-comp=x -tf a": false, "tar cf a --checkpoint=1 --checkpoint-act=exec=x": false, "tar -xf a --to-comm=x": false, "tar -xf host:a": false, "tar -xf a -T l": false, "tar xfT a l": false, "tar -xf a -C ..": false, "tar -xPf a": false, "tar xPf a": false, "tar -xf a -C/etc": false,
		"sqlite3 a.db .tables": true, "sqlite3 a.db 'select 1'": true, "sqlite3 ./a.db .schema": true, "sqlite3 ../a.db": true,
		"sqlite3 a.db '.shell id'": false, "sqlite3 a.db .system\\ id": false, "sqlite3 a.db ' .once x'": false, "sqlite3 a.db 'select writefile'": false, "sqlite3 a.db 'select LOAD_EXTENSION'": false, "duckdb a.db '.sh id'": false,
		"dotnet build -p:Deterministic=true": true, "dotnet test x.csproj -v minimal": true,
		"dotnet build -p:PostBuildEvent=id": false, "dotnet build /p:CscToolPath=x": false, "dotnet build --property:X=/tmp/y": false, "dotnet build -t:Exec": false, "dotnet build -l:x.dll": false, "dotnet build @x.rsp": false, "dotnet build -P:PreBuildEvent=id": false,
	} {
		program, _, _ := strings.Cut(text, " ")
		if got := vouched(t, program, text, programs.Strict); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
