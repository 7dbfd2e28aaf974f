// Package paths reads a path the way the tool that receives it will: from
// the raw text of a request to the file it names.
//
//	abs, err := place.Absolute(raw)      // screen, expand ~, join with the cwd
//	file, err := resolver.Resolve(abs)   // follow links, apply ".."
//	ok := paths.Contains(root.Path, file.Path)
//
// The package promises
//
//   - that no system call is made for a text that Screen refuses; on Windows
//     merely looking at a UNC name sends credentials to the server it names;
//   - that a path is judged by where it leads: links are followed, a dangling
//     link leads to what it names, and ".." is the parent of the directory that
//     was reached, not of the text;
//   - that whatever cannot be seen is an error, never a guess;
//   - that no input makes it panic, loop or grow without bound.
//
// It does not promise
//
//   - that the answer still holds when the tool opens the file: links may be
//     swapped in between. The opener has to use the resolved path, and open it
//     without following links;
//   - that two names of one file have one path. Hard links, bind mounts and
//     case-insensitive volumes give a file several; compare FileID, or Fold for
//     refusals;
//   - that a tool applies ".." after links. One that cleans the text first
//     reaches another file; resolve Clean of the path too where that matters.
package paths
