package policyfile

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	quiet  = 100 * time.Millisecond // a writer that pauses this long is taken to be done
	latest = time.Second            // and one that never pauses is not waited for longer
	poll   = 10 * time.Second       // file systems that report no changes are looked at
)

// Watcher reads a policy file again when it changes.
//
// The directories are watched rather than the file, so that a file which is
// replaced by renaming, or by swapping a link to it or to a directory above it
// (as Kubernetes does with mounted ConfigMaps), is seen as well.
type Watcher struct {
	path   string
	onGood func(*File)
	onBad  func(error)

	notify *fsnotify.Watcher // nil if the system offers none
	why    error             // of notify being nil

	good     *File  // the version that holds
	faulty   bool   // the file is not the version that holds
	seenBad  string // the fault that was reported last
	reload   chan struct{}
	stop     context.CancelFunc
	finished chan struct{}
}

// Watch loads the policy at path and keeps it up to date until ctx ends or
// Close is called. onGood gets the first version before Watch returns, and from
// then on each version that differs from the one before, and after a fault also
// the version that holds, should the file go back to it; onBad gets the reason
// when a new version cannot be used, once per fault, and the last good one
// still holds. Both are called one at a time and must not call Close.
//
// The error is that of Load: without a first version there is no watcher.
func Watch(ctx context.Context, path string, onGood func(*File), onBad func(error)) (*Watcher, error) {
	w := &Watcher{
		path: path, onGood: onGood, onBad: onBad,
		reload:   make(chan struct{}, 1),
		finished: make(chan struct{}),
	}
	w.notify, w.why = fsnotify.NewWatcher()
	w.watchDirs() // before the first look, so that no change falls in between
	first, err := Load(path)
	if err != nil {
		w.closeNotify()
		return nil, err
	}
	w.good = first
	onGood(first)
	ctx, w.stop = context.WithCancel(ctx)
	go w.run(ctx)
	return w, nil
}

// Reload looks at the file now, whether or not a change was seen. It does not
// wait. A file that is still bad is reported again.
func (w *Watcher) Reload() {
	select {
	case w.reload <- struct{}{}:
	default: // one is waiting already
	}
}

// Polling returns why changes are found by looking every few seconds only, or
// nil if the system reports them.
func (w *Watcher) Polling() error { return w.why }

// Close ends the watch and waits until no callback runs any more.
func (w *Watcher) Close() {
	w.stop()
	<-w.finished
}

func (w *Watcher) run(ctx context.Context) {
	defer close(w.finished)
	defer w.closeNotify()
	var events chan fsnotify.Event
	var faults chan error
	if w.notify != nil {
		events, faults = w.notify.Events, w.notify.Errors
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	var settled <-chan time.Time // fires when the burst of events is over
	var burst time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-events:
			if settled == nil {
				burst = time.Now()
			}
			settled = time.After(min(quiet, max(0, latest-time.Since(burst))))
		case <-faults: // events were lost
			settled = time.After(quiet)
		case <-settled:
			settled = nil
			w.look()
		case <-tick.C:
			w.look()
		case <-w.reload:
			w.seenBad = ""
			w.look()
		}
	}
}

// look reads the file and reports what is new about it.
func (w *Watcher) look() {
	w.watchDirs()
	next, err := w.next()
	switch {
	case err == nil && next == nil && !w.faulty:
	case err == nil:
		if next != nil {
			w.good = next
		}
		w.faulty, w.seenBad = false, ""
		w.onGood(w.good)
	case err.Error() != w.seenBad:
		w.faulty, w.seenBad = true, err.Error()
		w.onBad(err)
	}
}

// next returns the file's version, nil if it is the one that holds.
func (w *Watcher) next() (*File, error) {
	data, err := readFile(w.path)
	if err != nil {
		return nil, err
	}
	// A writer that does not rename truncates first, so that an empty file is
	// seen between two full ones. Whoever emptied it on purpose reads what to write.
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, Errors{{File: w.path, Line: 1, Key: "version", Message: "is missing, as the file is empty now; to drop all rules, write: version: 1"}}
	}
	if digest(data) == w.good.Revision {
		return nil, nil
	}
	return Parse(w.path, data)
}

// watchDirs watches the directories that decide what the path leads to.
func (w *Watcher) watchDirs() {
	if w.notify == nil {
		return
	}
	want := dirsOf(w.path)
	have := map[string]bool{}
	for _, dir := range w.notify.WatchList() {
		if have[dir] = true; !want[dir] {
			_ = w.notify.Remove(dir) // it may be gone
		}
	}
	for dir := range want {
		if !have[dir] {
			// A directory that cannot be watched is looked into at each tick.
			_ = w.notify.Add(dir)
		}
	}
}

// dirsOf returns the directory that holds the file, and each one that holds a
// link on the way to it, free of links themselves.
func dirsOf(path string) map[string]bool {
	const mostLinks = 40
	dirs := map[string]bool{}
	path, err := filepath.Abs(path)
	if err != nil {
		return dirs
	}
	top := filepath.VolumeName(path) + string(filepath.Separator)
	at, rest := top, path[len(filepath.VolumeName(path)):]
	for links := 0; links < mostLinks; {
		var name string
		name, rest, _ = strings.Cut(strings.TrimLeft(filepath.ToSlash(rest), "/"), "/")
		switch name {
		case "":
			return dirs
		case ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		target, err := os.Readlink(filepath.Join(at, name))
		last := strings.Trim(rest, "/") == ""
		if err == nil || last {
			dirs[at] = true
		}
		switch {
		case err != nil:
			at = filepath.Join(at, name)
		case filepath.IsAbs(target):
			links++
			at, rest = filepath.VolumeName(target)+string(filepath.Separator), target[len(filepath.VolumeName(target)):]+"/"+rest
		default:
			links++
			rest = target + "/" + rest
		}
	}
	return dirs
}

func (w *Watcher) closeNotify() {
	if w.notify != nil {
		_ = w.notify.Close()
	}
}
