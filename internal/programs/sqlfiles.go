package programs

import "strings"

// sqlShells are programs whose words and input are SQL and commands of their own
// that begin with a dot.
var sqlShells = wordSet("sqlite3 duckdb")

// sqlReaches are words of SQL with which it reads or writes further files, or
// runs a program: functions, tables and statements.
var sqlReaches = strings.Fields(`edit fsdir zipfile readfile writefile fileio load_extension attach fts3_tokenizer temp_store_directory data_store_directory
	copy install load export import getenv read_text read_blob read_csv read_csv_auto read_json read_json_auto read_parquet read_ndjson sniff_csv glob_files`)

// sqlHarmless refuses the shell's own commands, which can run programs and
// write files, apart from those that print the schema, and SQL that reaches
// beyond the database.
func sqlHarmless(words []string) bool {
	return all(words, func(w string) bool {
		for line := range strings.SplitSeq(w, "\n") {
			line = strings.TrimSpace(line)
			name, rest, _ := strings.Cut(line, " ")
			if strings.HasPrefix(line, ".") && len(line) > 1 && line[1] != '/' && line[1] != '.' && (!sqlPrints[name] || strings.Contains(rest, "|")) {
				return false
			}
		}
		w = strings.ToLower(w)
		for _, word := range sqlReaches {
			if containsWord(w, word) {
				return false
			}
		}
		return !containsWord(w, "vacuum") || !containsWord(w, "into")
	})
}

var sqlPrints = wordSet(".tables .schema .indexes .indices .databases .mode .headers .header .width .timeout .help .show .dump .fullschema .stats .nullvalue")

// The commands of such a shell that take a file, as far as their names must be
// spelled out; any beginning of them counts.
var (
	sqlWrites = strings.Fields(".output .once .save .backup .clone .log .archive .excel .trace .open .restore")
	sqlReads  = strings.Fields(".import .read .load .cd")
)

// SQLFiles lists the files that a text of such a shell names: those that it may
// write and those that it reads.
func SQLFiles(text string) (written, read []string) {
	var files sqlFiles
	files.of(text)
	return files.written.list, files.read.list
}

type sqlFiles struct{ written, read distinct }

func (f *sqlFiles) of(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if f.written.full() && f.read.full() {
			break
		}
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, ".") {
			fields := strings.Fields(line)
			var names []string
			for _, w := range append(fields[1:len(fields):len(fields)], quoted(line)...) {
				if w = strings.Trim(w, `'"`); w != "" && w[0] != '-' && w[0] != '|' {
					names = append(names, w)
				}
			}
			switch {
			case abbreviates(fields[0], sqlWrites):
				f.written.add(names...)
			case abbreviates(fields[0], sqlReads):
				f.read.add(names...)
			}
			continue
		}
		names := quoted(line)
		switch lower := strings.ToLower(line); {
		case len(names) == 0:
		case containsWord(lower, "vacuum") && containsWord(lower, "into"), containsWord(lower, "attach"), containsWord(lower, "writefile"), containsWord(lower, "copy"), containsWord(lower, "export"):
			f.written.add(names...)
		default:
			for _, word := range sqlReaches {
				if containsWord(lower, word) {
					f.read.add(names...)
					break
				}
			}
		}
	}
}

func abbreviates(name string, commands []string) bool {
	if len(name) < 2 {
		return false
	}
	for _, c := range commands {
		if strings.HasPrefix(c, name) || name == ".ar" {
			return true
		}
	}
	return false
}

// sqlFilesOf does the same for the words of a command.
func sqlFilesOf(words []string) (written, read []string) {
	var files sqlFiles
	for _, w := range words {
		if strings.ContainsAny(w, " \t\n") {
			files.of(w)
		}
	}
	return files.written.list, files.read.list
}

// ReadsSQL reports whether the command runs such a shell, behind wrappers as
// well.
func (t *Table) ReadsSQL(words []string) bool {
	for _, w := range t.HandedOver(words) {
		if sqlShells[t.Name(w)] {
			return true
		}
	}
	return false
}
