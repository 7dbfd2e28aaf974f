package decide

import "github.com/agent-pdp/pdp/internal/shell"

// maxEffort bounds the work that one command may cause, in steps of about half a
// microsecond. Each reading of a text has bounds of its own; this one is for a text
// that comes near to several of them. Ordinary commands take some tens of steps,
// long ones some hundreds.
const maxEffort = 4200

// unreadEffort is what may still be spent to look for words in a command that is
// not seen whole.
const unreadEffort = 600

// What some work takes, in steps.
const (
	bytesParsed  = 10 // of the text by two readers, in one step
	bytesRead    = 32 // of all texts by the one that looks into everything
	commandSteps = 3  // to read a command
	handedSteps  = 1  // for each word behind a program that runs another, which may be a program
	seekSteps    = 1  // to look for words in a command
	wordSteps    = 4  // to locate a word
	bytesOfStep  = 8  // of such a word, that take one more
	linkSteps    = 4  // to note a link that the text makes
	patternSteps = 6  // to compare a pattern with paths
	ruleSteps    = 2  // to compare a path with rules
	nameSteps    = 4  // to look up a file that a pattern finds
	bytesOfName  = 32 // of such a file, that take one more
	entriesRead  = 2  // of a directory, in one step
	filledSteps  = 1  // to put a word together
	bytesFilled  = 32 // of values that words become
	wordsPassed  = 16 // that are looked at in passing in one step
	passedWords  = 1  // that it takes as much as to look at a command in passing
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
		steps += commandSteps + handedSteps*commands[i].Handed()
	}
	return steps
}

// passing is what it takes to look at commands once more.
func passing(commands []shell.Seen) (steps int) {
	for i := range commands {
		steps += passedWords + len(commands[i].Words) + len(commands[i].Sets)
	}
	return steps / wordsPassed
}
