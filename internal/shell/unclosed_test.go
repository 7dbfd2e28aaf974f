package shell

import "testing"

// Rows are texts that lack an end, why they are not read, and the piece at which
// what lacks its end begins.
func TestWhatIsNotClosedIsToldWhereItBegins(t *testing.T) {
	const flow = "the shell's control flow: "
	for _, row := range []struct{ text, why, piece string }{
		{"echo 'abc", "a quote is not closed", "'abc"},
		{"ls \"ab\ncd", "a quote is not closed", "\"ab"},
		{"echo 'a' 'a", "a quote is not closed", "'a"},
		{"echo $(ls", "a parenthesis is not closed", "$(ls"},
		{"(a; (b)", "a parenthesis is not closed", "(a;"},
		{"(a); (b", "a parenthesis is not closed", "(b"},
		{"x \"a $(b", "a parenthesis is not closed", "$(b"},
		{"{ ls;", flow + "} is missing", "{"},
		{"if true; then", flow + "fi is missing", "if"},
		{"if true; then ls; else", flow + "fi is missing", "if"},
		{"if true", flow + "then is missing", "if"},
		{"if a; then b; fi; if c; then", flow + "fi is missing", "if c;"},
		{"echo $(if a", flow + "then is missing", "if"},
		{"while true; do", flow + "done is missing", "while"},
		{"for x in a b; do\n", flow + "done is missing", "for"},
		{"case x in", "the shell's control flow (case): esac is missing", "case"},
		{"case x in a) b", "the shell's control flow (case): esac is missing", "case"},
		{"[[ a == b", "the shell's control flow ([[): ]] is missing", "[["},
		{"cat <<EOF\nhi", "a here-document that does not end", "<<EOF"},
		{"cat <<EOF", "a here-document that does not end", "<<EOF"},
		{"ls &&", "nothing behind &&", "&&"},
		{"ls ||\n", "nothing behind ||", "||"},
		{"ls |", "nothing behind |", "|"},
		{"!", "nothing behind !", "!"},

		// What is closed, and empty.
		{"{ }", "an empty block", "}"},
		{"if a; then fi", "an empty block", "fi"},
		{"case x in esac", "an empty block", "esac"},
	} {
		var c Command
		c.Parse(row.text, Bash)
		if c.Opaque(Precise) != row.why || c.Piece(Precise) != row.piece {
			t.Errorf("%q: %q at %q, want %q at %q", row.text, c.Opaque(Precise), c.Piece(Precise), row.why, row.piece)
		}
	}
}
