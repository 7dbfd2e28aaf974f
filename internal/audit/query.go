package audit

import "github.com/agent-pdp/pdp/internal/store"

// matches reports whether a query selects a record; Before and Limit do not count.
func matches(q store.RecordQuery, r *store.Record) bool {
	is := func(want, have string) bool { return want == "" || want == have }
	return is(q.Kind, r.Kind) && is(q.Session, r.Session) && is(q.Caller, r.Caller) && is(q.Tool, r.Tool) &&
		is(q.Outcome, r.Outcome) && is(q.Code, r.Code) &&
		(q.Since.IsZero() || !r.Time.Before(q.Since)) && (q.Until.IsZero() || r.Time.Before(q.Until))
}
