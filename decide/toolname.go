package decide

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// impliedTool is what the name of a tool that nobody classified says about it:
// mcp__filesystem__write_file writes files whoever made it. It is a guess that
// makes a call stricter; the operator's word for the tool, an override or an
// entry in tools, replaces it. Tools of services in other systems stay out, whose
// paths are not those of this machine.
func (c catalogue) impliedTool(name string) *tool {
	server, bare := splitToolName(name)
	words := nameWords(bare)
	where := nameWords(server)
	if len(words) == 0 || len(words) > maxNameWords || slices.ContainsFunc(where, isRemoteService) {
		return nil
	}
	// mcp_filesystem_write_file does not say where the server's name ends. One word
	// alone says too little to end a longer name.
	for i := range words {
		if i > 0 && (i == len(words)-1 || isRemoteService(words[i-1])) {
			break
		}
		if t := c[strings.Join(words[i:], "")]; t != nil && t.risk == WriteLocal {
			t := *t
			t.agent = false
			return &t
		}
	}
	if isRemoteService(words[0]) {
		return nil
	}
	return impliedByWords(words, slices.ContainsFunc(where, func(w string) bool { return fileNouns[w] }))
}

// impliedByWords reads a name of verbs and nouns; noun says that the server's name
// is one: mcp__filesystem__create.
func impliedByWords(words []string, noun bool) *tool {
	needs, tree := 0, false
	for _, w := range words {
		if writeVerbs[w] {
			needs = max(needs, 1)
		}
		if bothEnds[w] {
			needs = 2
		}
		tree = tree || moveVerbs[w]
		noun = noun || fileNouns[w]
	}
	if needs == 0 || !noun {
		return nil
	}
	return writerOf(needs, tree)
}

// writerOf is a tool that writes the paths that its arguments hold under any
// usual name. One that moves or deletes takes along what is below them.
func writerOf(needs int, tree bool) *tool {
	return &tool{risk: WriteLocal, pathArgs: []pathArg{fileArg}, many: true, tree: tree, implied: true, needs: needs}
}

const maxNameWords = 16

var (
	writeVerbs = wordSet(`write create edit delete remove move rename copy append replace insert overwrite save patch update modify truncate chmod
	chown symlink put add touch prepend make unlink trash apply generate export extract unzip unpack download format refactor rewrite set erase
	wipe mv cp rm store sync restore upsert tee mkdir mkdirs rmdir compress decompress uncompress inflate zip tar untar gzip gunzip link hardlink
	relink unarchive`)
	// plainVerbs say that a tool writes files if it is given a path at all.
	plainVerbs = wordSet(`write edit create touch put delete remove unlink trash erase wipe move rename copy append overwrite save patch replace
	insert update upsert tee mkdir mkdirs rmdir rm mv cp truncate chmod chown symlink hardlink link extract unzip untar unpack download export
	compress decompress uncompress inflate zip tar gzip gunzip unarchive`)
	// moveVerbs say that what is below goes along, and that the call may name its
	// paths by their ends alone: from, to.
	moveVerbs = wordSet(`delete remove move rename copy unlink trash symlink link hardlink mv cp rm rmdir erase wipe sync`)
	bothEnds  = wordSet(`move copy mv cp`)
	fileNouns = wordSet(`file files filepath filename path paths dir dirs directory directories folder folders symlink notebook notebooks cell line lines
	symbol textfile workspacefile disk fs filesystem`)

	// remoteServices keep their files elsewhere, under names that look like paths.
	remoteServices = wordSet(`github gitlab bitbucket gitea azure devops dropbox box gdrive gsuite drive googledrive onedrive sharepoint s3 gcs
	blob bucket notion slack discord jira confluence atlassian linear asana monday trello airtable figma canva hubspot salesforce zendesk gmail
	outlook email teams webdav ftp sftp ssh docker kubernetes k8s supabase firebase sheets docs gdocs obsidian e2b daytona`)
)

func isRemoteService(word string) bool { return remoteServices[word] }

// splitToolName takes a tool's name apart where a runtime has put the name of a
// server or namespace in front.
func splitToolName(name string) (server, bare string) {
	isFrame := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	name = strings.TrimFunc(name, isFrame)
	start := 0
	if i := strings.LastIndex(name, "__"); i >= 0 {
		start = i + len("__")
	}
	bare = name[start:]
	// A server names its tools as it likes: mcp__box__fs.write.
	if i := strings.LastIndexAny(bare, ".:/"); i >= 0 {
		server, bare = name[:start+i], bare[i+1:]
	} else if start > 0 {
		server = name[:start-len("__")]
	}
	bare = strings.TrimLeftFunc(bare, isFrame)
	if n := len("mcp_"); len(bare) > n && strings.EqualFold(bare[:n], "mcp_") {
		bare = bare[n:]
	}
	return server, bare
}

// nameWords splits a name at what is no letter or digit, and before a capital
// letter that follows a small one.
func nameWords(name string) []string {
	var words []string
	start, lower := 0, false
	cut := func(end int) {
		if start < end {
			words = append(words, foldName(name[start:end]))
		}
	}
	for i, size := 0, 0; i < len(name); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(name[i:])
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			cut(i)
			start, lower = i+size, false
			continue
		case lower && unicode.IsUpper(r):
			cut(i)
			start = i
		}
		lower = !unicode.IsUpper(r)
	}
	cut(len(name))
	return words
}

// namesWrite reports a name that speaks of writing, without saying what.
func namesWrite(name string) bool {
	_, bare := splitToolName(name)
	return slices.ContainsFunc(nameWords(bare), func(w string) bool { return plainVerbs[w] })
}

// namesMove reports a name that speaks of moving, copying or deleting.
func namesMove(name string) bool {
	_, bare := splitToolName(name)
	return slices.ContainsFunc(nameWords(bare), func(w string) bool { return moveVerbs[w] })
}

// isRemote reports a tool of a service in another system.
func isRemote(name string) bool {
	server, bare := splitToolName(name)
	return slices.ContainsFunc(nameWords(server), isRemoteService) || slices.ContainsFunc(nameWords(bare), isRemoteService)
}
