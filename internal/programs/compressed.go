package programs

import (
	"path"
	"slices"
	"strings"
)

// compressors are the programs that put a file in another one's place, whose
// name is that of the first with or without an ending, by the ending they add.
var compressors = map[string]string{
	"gzip": ".gz", "gunzip": ".gz", "pigz": ".gz", "unpigz": ".gz", "bzip2": ".bz2", "bunzip2": ".bz2", "pbzip2": ".bz2", "lbzip2": ".bz2", "xz": ".xz", "unxz": ".xz",
	"lzma": ".lzma", "unlzma": ".lzma", "lzip": ".lz", "lunzip": ".lz", "lzop": ".lzo", "zstd": ".zst", "unzstd": ".zst", "pzstd": ".zst", "zstdmt": ".zst", "lz4": ".lz4", "unlz4": ".lz4",
	"compress": ".Z", "uncompress": ".Z", "brotli": ".br", "unbrotli": ".br", "gpg": ".gpg", "gpg2": ".gpg", "age": ".age",
}

// landCompressed names what such a program writes: for each operand the name
// with the ending, and without the one that it has. Which of the two it is
// depends on options, on how the program is called and on what is there.
func landCompressed(program string, words []string) []string {
	var landed distinct
	ending := compressors[program]
	for i, w := range words {
		switch name, value, attached := strings.Cut(w, "="); {
		case i > 0 && (words[i-1] == "-S" || words[i-1] == "--suffix"):
			ending = w
		case attached && len(name) > 3 && strings.HasPrefix("--suffix", name):
			ending = value
		case strings.HasPrefix(w, "-S") && len(w) > 2:
			ending = w[2:]
		case slices.Contains(toStdout, w), len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, "c"):
			return nil
		}
	}
	for _, w := range words {
		if strings.HasPrefix(w, "-") || landed.full() {
			continue
		}
		landed.add(w + ending)
		if rest, ok := strings.CutSuffix(w, ending); ok && rest != "" {
			landed.add(rest)
		}
		last := path.Ext(w)
		if rest := strings.TrimSuffix(w, last); last != "" && rest != "" && !strings.HasSuffix(rest, "/") {
			landed.add(rest)
			if last == ".tgz" || last == ".tbz2" || last == ".txz" || last == ".tzst" || last == ".taz" {
				landed.add(rest + ".tar")
			}
		}
	}
	return landed.list
}

var toStdout = []string{"--stdout", "--to-stdout", "--list", "--test"}
