package programs

import "strings"

// builders are the programs, besides make, that run what a file of theirs tells them.
var builders = wordSet("docker podman nerdctl buildah ninja samu gradle gradlew cmake ant rake foreman honcho overmind")

// buildMarks stand before a command line in such files: RUN of a Dockerfile, a rule
// of ninja, COMMAND of CMake, a line of a Procfile.
var buildMarks = []string{"RUN ", "CMD ", "ENTRYPOINT ", "COMMAND ", "command = ", "command=", ": "}

// buildRuns lists what may be command lines in a file of that kind: behind the
// marks, up to a bracket that closes, and in quotes.
func buildRuns(text string) (texts []string, all bool) {
	var lines strings.Builder
	for line := range strings.Lines(text) {
		for _, mark := range buildMarks {
			if _, rest, ok := strings.Cut(line, mark); ok {
				rest, _, _ = strings.Cut(rest, ")")
				lines.WriteString(strings.TrimLeft(rest, "[ \t"))
				lines.WriteByte('\n')
			}
		}
	}
	texts = append(quoted(text), lines.String())
	return texts, len(texts) <= maxEmbedded
}

// imageFromInput reports whether a builder of images reads the build file from its
// input: docker build -, podman build -f - .
func imageFromInput(name string, words []string) bool {
	if name != "docker" && name != "podman" && name != "nerdctl" && name != "buildah" {
		return false
	}
	builds := false
	for _, w := range words {
		switch {
		case w == "build" || w == "bud":
			builds = true
		case builds && (inputFiles[w] || w == "-f-" || w == "--file=-" || w == "-f=-"):
			return true
		}
	}
	return false
}
