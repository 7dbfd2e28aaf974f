package decide

import (
	"maps"
	"slices"
	"strconv"
)

// landingNames are arguments in which a tool of another class is told where to
// put what it fetched, exported or recorded.
var landingNames = wordSet(`output outputpath outputfile outputfilename outputdir outputdirectory outfile outpath savepath saveto saveas savefile savedir
	savedirectory downloadpath downloaddir downloaddirectory downloadto downloadfile localpath localfile localdir localdirectory destpath destfile
	destinationpath destinationfile destinationdir targetdir targetfile screenshotpath tofile writeto exportpath exportto clonepath checkoutdir
	out outto save saved savein saveat store storeat storeto storein dump dumpto dumpfile logfile logpath cachefile cachedir
	cookiejar tracefile destdir outpathname outputname outname`)

// fetchLandingNames are such arguments in a tool that fetches, which in others
// name a person, a language, an object.
var fetchLandingNames = wordSet(`to into file filename filepath topath dest dst destination`)

var landingNamesOfFetch = func() map[string]bool {
	names := maps.Clone(landingNames)
	maps.Copy(names, fetchLandingNames)
	return names
}()

// landingVerbs in the name of a tool say that its path arguments are such places.
var landingVerbs = wordSet(`download clone screenshot export record`)

// landings are the files that a tool writes beside what it is for.
func (f *facts) landings() []target {
	if f.landed != nil || f.writes || f.runs || !f.consequential() {
		return f.landed
	}
	f.landed = []target{}
	add := func(text string) {
		if len(f.landed) < maxPathArguments {
			f.landed = append(f.landed, f.locate(filePath(text)))
		}
	}
	_, bare := splitToolName(f.call.Tool)
	w := argumentWalk{yield: add, only: landingNames}
	if f.fetches {
		w.only = landingNamesOfFetch
	}
	if slices.ContainsFunc(nameWords(bare), func(word string) bool { return landingVerbs[word] }) {
		w.only = nil
	}
	w.object(f.call.Arguments)
	return f.landed
}

// landingScope asks about a tool that fetches or acts elsewhere and is told to
// put a file outside every writable root. It asks and does not deny, since nobody
// has said what the argument means.
func landingScope(f *facts) (refusal, bool) {
	for _, t := range f.landings() {
		if t.err != nil {
			return refusal{AskHuman, CodeWriteUnlocated, "the call may write to a path that cannot be read: " + t.err.Error()}, true
		}
		if f.scratch(t.resolved.Path) {
			continue
		}
		if held, ok := f.holder(t.resolved.Path); !ok || !held.writable {
			return refusal{Ask, CodeApprovalRequired, "the call may write to " + strconv.Quote(clip(t.given)) + ", which lies in no writable root"}, true
		}
	}
	return refusal{}, false
}
