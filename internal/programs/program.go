package programs

// originalInterpreters and inlineCode are the original engine's test for
// inline code, which knows only exact spellings.
var (
	originalInterpreters = wordSet("sh bash zsh dash ksh fish powershell pwsh cmd python python3 node deno bun ruby perl php")
	inlineCode           = wordSet("-c -e --eval --command -Command -EncodedCommand")
	dangerous            = wordSet("-exec -execdir -delete -ok -okdir -fprintf")
	versionOnly          = wordSet("--version -V --help")
)
