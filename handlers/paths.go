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
	decision, report, err := j.check(req)
	if err != nil {
		return err
	}
	v := verdict{record: decide.NewRecord(decision), tool: otherLabel, took: time.Since(start)}
	v.sessionID = req.SessionID
	v.call = decide.Call{Tool: "check_path", Arguments: decide.NewObject(
		decide.Member{Name: "path", Value: decide.Text(req.Path)}, decide.Member{Name: "access", Value: decide.Text(req.Access)})}
	if err := s.settle(x, r, &v); err != nil {
		return err
	}
	res := checkResponse{decisionResponse: *reply(&v.record, textHides(req.Path)), Inspection: report}
	if len(decision.Paths) > 0 {
		p := decision.Paths[0]
		res.Resolved, res.Root, res.Writable = p.Resolved, p.Root, p.Writable
	}
	return encode(x, http.StatusOK, res)
}

// check judges the path in time: to resolve it, and the roots, may take for ever.
func (j judge) check(req *checkRequest) (d decide.Decision, report *inspect.Report, err error) {
	err = j.inTime(req.Path, func() error {
		session, err := j.session(req.SessionID, req.Context)
		if err != nil {
			return err
		}
		d = j.policy.CheckPath(session, req.Path, decide.Access(req.Access))
		return nil
	})
	if err != nil {
		return decide.Decision{}, nil, err
	}
	if len(d.Paths) > 0 {
		report = j.look.judged(j.ctx, d.PathsMode, d.Paths[:1])[0]
	}
	return d, report, nil
}

// inTime lets work look at the file system, where it may wait for ever. After an
// error nothing that work writes may be read, for it may still be going on.
func (j judge) inTime(path string, work func() error) error {
	var failed error
	late := inspect.DefaultPool.RunPath(j.ctx, j.look.within, path, func(func() bool) { failed = work() })
	if late != nil {
		return inspectionProblem(late)
	}
	return failed
}

func (j judge) inSession(session decide.Session, path string) bool {
	judged := j.policy.CheckPath(session, path, decide.AccessRead).Paths
	return len(judged) > 0 && judged[0].Root != ""
}

// inspector makes permission reports of paths that a caller may know about.
type inspector struct {
	roots  func() []string
	within time.Duration // the file system has to answer
}

// everywhere is what callers with a credential may have inspected.
func everywhere() []string { return []string{"/"} }

// judged reports on paths that were judged for a session. A report is nil where
// this service cannot see the file, and where the caller may not. A mount that
// hangs must not hold the answer about the paths.
func (i inspector) judged(ctx context.Context, mode decide.PathsMode, list []decide.JudgedPath) []*inspect.Report {
	reports := make([]*inspect.Report, len(list))
	if mode != decide.PathsLocal {
		return reports
	}
	var resolved []string
	var at []int
	free := map[string]bool{} // in a root
	for n, p := range list {
		if p.Resolved == "" {
			continue
		}
		resolved, at = append(resolved, p.Resolved), append(at, n)
		free[p.Resolved] = free[p.Resolved] || p.Root != ""
	}
	opts := inspect.BatchOptions{Timeout: i.within, PathTimeout: i.within}
	opts.Admit = admitting(func(path string) bool { return free[path] || i.shows(path) })
	made := inspect.DefaultPool.Batch(ctx, resolved, opts)
	for n := range made {
		if made[n].Error != notShown {
			reports[at[n]] = &made[n]
		}
	}
	return reports
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
