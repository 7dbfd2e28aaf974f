// Package shell reads the text of a shell command and says what can be known
// about it without running it.
//
// Two readers look at the same text, for opposite purposes:
//
//   - [Parse] is strict. It understands plain words, quotes and the separators
//     between commands, and calls everything else opaque. Only what it
//     understood whole can be vouched for by a list ([Command.Cover]) or by
//     the read-only classifier ([Command.ReadOnly]).
//   - [Scan] is tolerant. It lists every command that the text might run, also
//     inside substitutions, control flow and wrappers. Only lists that restrict
//     use it, so that seeing too much errs on the safe side.
//
// Reading text is no sandbox: a program can do anything once it runs. The
// package stops accidents and riders on an allowed command, not a program that
// an operator has allowed and that turns out to be hostile.
package shell
