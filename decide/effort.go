package decide

import "github.com/agent-pdp/pdp/internal/shell"

// maxEffort bounds the work that one command may cause, in steps of about a
// microsecond. Each reading of a text has bounds of its own; this one is for a text
// that comes near to several of them. Ordinary commands take some tens, long ones some hundreds.
const maxEffort = 2400

// unreadEffort is what may still be spent to look for words in a command that is
// not seen whole.
const unreadEffort = 300

// What some work takes, in steps.
const (
	bytesParsed  = 20 // of the text by two readers, in one step
	bytesRead    = 64 // of all texts by the one that looks into everything
	commandSteps = 2  // to read a command
	wordsHanded  = 2  // words behind a program that runs another, which are looked at as programs
	wordSteps    = 2  // to locate a word
	bytesOfStep  = 16 // of such a word, that take one more
	linkSteps    = 2  // to note a link that the text makes
	patternSteps = 3  // to compare a pattern with paths
	ruleSteps    = 1  // to compare a path with rules
	nameSteps    = 2  // to look up a file that a pattern finds
	bytesOfName  = 64 // of such a file, that take one more
	entriesRead  = 3  // of a directory, in one step
	wordsFilled  = 2  // that are put together in one step
	bytesFilled  = 64 // of values that words become
	wordsPassed  = 16 // that are looked at in passing in one step
	passedWords  = 4  // that it takes as much as to look at a command in passing
)

// spend counts work. With nothing left, the command counts as not seen whole,
// which floors ask about and lists that restrict take for a hit.
func (f *facts) spend(steps int) (left bool) {
	if f.effort += steps; f.effort > maxEffort {
		f.seenAll = false
	}
	return f.seenAll
}

// reading is what it takes to read commands.
func reading(commands []shell.Seen) (steps int) {
	for i := range commands {
		steps += commands[i].Handed()
	}
	return steps/wordsHanded + commandSteps*len(commands)
}

// passing is what it takes to look at commands once more.
func passing(commands []shell.Seen) (steps int) {
	for i := range commands {
		steps += passedWords + len(commands[i].Words) + len(commands[i].Sets)
	}
	return steps / wordsPassed
}
