package handlers

import (
	"context"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/inspect"
	"github.com/agent-pdp/pdp/internal/paths"
)

// checkPath answers POST /v1/paths/check: may this path be read or written,
// and how do its permissions look?
func (s *service) checkPath(x *exchange, r *http.Request) error {
	j, err := s.judge(x, r)
	if err != nil {
		return err
	}
	req, err := decode[checkRequest](x, r)
	if err != nil {
		return err
	}
	start := time.Now()
	session, err := j.session(req.SessionID, req.Context)
	if err != nil {
		return err
	}
	decision := j.policy.CheckPath(session, req.Path, decide.Access(req.Access))
	v := verdict{record: decide.NewRecord(decision), tool: otherLabel, took: time.Since(start)}
	v.sessionID = req.SessionID
	v.call = decide.Call{Tool: "check_path", Arguments: decide.NewObject(
		decide.Member{Name: "path", Value: decide.Text(req.Path)}, decide.Member{Name: "access", Value: decide.Text(req.Access)})}
	if err := s.settle(x, r, &v); err != nil {
		return err
	}
	res := checkResponse{decisionResponse: *reply(&v.record, textHides(req.Path))}
	if len(decision.Paths) > 0 {
		p := decision.Paths[0]
		res.Resolved, res.Root, res.Writable = p.Resolved, p.Root, p.Writable
		res.Inspection = j.look.judged(decision.PathsMode, p)
	}
	return encode(x, http.StatusOK, res)
}

func (j judge) inSession(session decide.Session, path string) bool {
	judged := j.policy.CheckPath(session, path, decide.AccessRead).Paths
	return len(judged) > 0 && judged[0].Root != ""
}

// inspector makes permission reports of paths that a caller may know about.
type inspector struct{ roots func() []string }

// everywhere is what callers with a credential may have inspected.
func everywhere() []string { return []string{"/"} }

// judged reports on a path that was judged for a session. It is nil where this
// service cannot see the file, and where the caller may not.
func (i inspector) judged(mode decide.PathsMode, p decide.JudgedPath) *inspect.Report {
	if mode != decide.PathsLocal || p.Resolved == "" || p.Root == "" && !i.shows(p.Resolved) {
		return nil
	}
	// A mount that hangs must not hold the answer about the path.
	opts := inspect.BatchOptions{Timeout: inspectTimeout, PathTimeout: inspectTimeout}
	report := inspect.DefaultPool.Batch(context.Background(), []string{p.Resolved}, opts)[0]
	return &report
}

// shows reports whether path, and what it leads to, lie in a directory that
// anybody may have inspected. What cannot be resolved is not shown: the answer
// would tell whether it exists.
func (i inspector) shows(path string) bool {
	roots := i.roots()
	for _, root := range roots {
		if root == "/" {
			return true
		}
	}
	if len(roots) == 0 || !isAbsolute(path) || paths.Screen(path, paths.Native()) != nil {
		return false
	}
	target, err := paths.Local{}.Resolve(filepath.ToSlash(path))
	if err != nil || !inAny(roots, target.Path) {
		return false
	}
	dir, err := paths.Local{}.Resolve(filepath.ToSlash(filepath.Dir(path)))
	if err != nil {
		return false
	}
	name := strings.TrimSuffix(dir.Path, "/") + "/" + filepath.Base(path) // the root ends in a slash itself
	return name == target.Path || inAny(roots, name)
}

func inAny(roots []string, path string) bool {
	for _, root := range roots {
		r, err := paths.Local{}.Resolve(filepath.ToSlash(root))
		if err == nil && paths.Native().Contains(r.Path, path) {
			return true
		}
	}
	return false
}

func isAbsolute(path string) bool { return filepath.IsAbs(path) }

// parseOctal reads a required mode: octal text that permits something.
func parseOctal(text string) (uint32, bool) {
	mode, err := strconv.ParseUint(text, 8, 16)
	if err != nil || mode == 0 || mode > 0o7777 {
		return 0, false
	}
	return uint32(mode), true
}
