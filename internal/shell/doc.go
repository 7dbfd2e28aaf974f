// Package shell reads the text of a shell command and says what can be known
// about it without running it.
//
// Readers look at the same text for opposite purposes:
//
//   - [Command.Parse] is strict. It understands a part of the language that all
//     shells read alike, and calls everything else opaque. What goes beyond plain
//     words has to be read the same way, word for word, by a second parser of
//     other authors. Only a text that was understood can be vouched for by lists
//     ([Command.Cover]) or by the read-only classifier ([Command.ReadOnly]).
//   - [Scan] is tolerant. It lists every command that the text might run, also
//     inside substitutions, control flow and wrappers, and adds what the second
//     parser sees. Only lists and floors that restrict use it, so that seeing too
//     much errs on the safe side.
//
// What the words of a command do is the business of internal/programs; where
// they lead is the caller's, who knows the file system: a [Coverage] names the
// directories and files that it depends on.
//
// Reading text is no sandbox: a program can do anything once it runs. The
// package stops accidents and riders on an allowed command, not a program that
// an operator has allowed and that turns out to be hostile.
package shell
