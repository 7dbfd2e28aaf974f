package decide

import (
	"errors"
)

// Wait has work done that may wait for the file system for ever, and returns when
// it is done. An error says that it has been given up, or was not begun: work may
// still be running then, and nothing that it writes may be read.
type Wait func(work func()) error

// InTime is the policy, but for that whatever looks at files goes through wait. A
// call whose files do not answer in time is denied. Calls are judged without the
// file system first; only one that cannot be is judged by way of wait, from the
// beginning. A policy as it was compiled waits as long as the file system takes.
func (p *Policy) InTime(wait Wait) *Policy {
	timed := *p
	timed.wait = wait
	return &timed
}

func (p *Policy) see(work func()) error {
	if p.wait == nil {
		work()
		return nil
	}
	return p.wait(work)
}

// LateError says that the file system did not answer in time.
type LateError struct {
	Cause   error
	session *session // what is known of it; nil: nothing
}

func (e *LateError) Error() string {
	return "the file system did not answer in time: " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *LateError) Unwrap() error { return e.Cause }

// Late is the decision about a call that cannot be judged because of err; false
// if err is about something else.
func (p *Policy) Late(err error, c Call) (d Decision, ok bool) {
	var late *LateError
	if !errors.As(err, &late) {
		return Decision{}, false
	}
	return p.late(late, c, asked{}), true
}

// SubCodeLate is the SubCode of the step that a late decision is explained by.
const SubCodeLate = "timeout"

func (p *Policy) late(e *LateError, c Call, a asked) Decision {
	d := Decision{
		Outcome: Deny, Code: CodeInvalidPath, Mode: p.mode, PolicyRevision: p.revision, PathsMode: p.pathsMode,
		Reason: "it cannot be told which files the call touches: " + e.Error(),
	}
	if s := e.session; s != nil {
		f := facts{policy: p, session: s, call: c}
		f.classify()
		d.Risk, d.Mode, d.PathsMode, d.Warnings = f.risk, s.mode, s.pathsMode, s.warnings
	}
	if a.why {
		d.Trace = []Step{{Check: "files_in_time", Kind: "floor", Result: Deny.String(), Detail: d.Reason, SubCode: SubCodeLate}}
	}
	return d
}

// sight says whether a call may be judged by what the file system says.
type sight bool

const (
	seeing sight = false
	blind  sight = true
)

// needsFiles is what judging blindly ends with when it comes to a file.
type needsFiles struct{}

// look is called before anything is asked of the file system.
func (s sight) look() {
	if s == blind {
		panic(needsFiles{})
	}
}

// asked is what the caller wants beside the decision.
type asked struct{ why, question bool }

func (p *Policy) answer(s Session, c Call, a asked) (Decision, *Question) {
	if p.wait == nil {
		return p.weigh(s, c, a, seeing)
	}
	if command, _ := c.Arguments.Get("command").AsString(); len(command) <= maxTwice {
		if d, q, ok := p.weighBlindly(s, c, a); ok {
			return d, q
		}
	}
	return p.weighInTime(s, c, a)
}

// maxTwice is the longest command that may be read twice, in bytes. Long ones can
// take long to read.
const maxTwice = 4096

func (p *Policy) weighBlindly(s Session, c Call, a asked) (d Decision, q *Question, ok bool) {
	defer func() {
		if cause := recover(); cause != nil && cause != any(needsFiles{}) {
			panic(cause)
		}
	}()
	d, q = p.weigh(s, c, a, blind)
	return d, q, true
}

// weighInTime is not inlined, or the call would be copied to the heap each time.
//
//go:noinline
func (p *Policy) weighInTime(s Session, c Call, a asked) (d Decision, q *Question) {
	type both struct {
		d Decision
		q *Question
	}
	made := new(both)
	if err := p.wait(func() { made.d, made.q = p.weigh(s, c, a, seeing) }); err != nil {
		return p.late(&LateError{err, s.state}, c, a), nil
	}
	return made.d, made.q
}

func (p *Policy) weigh(s Session, c Call, a asked, sight sight) (Decision, *Question) {
	var t *tracer
	if a.why {
		t = &tracer{}
	}
	var q *Question
	if a.question {
		q = &Question{}
	}
	d := p.judge(s, c, t, q, sight)
	if !d.Outcome.NeedsUser() {
		return d, nil
	}
	return d, q
}
