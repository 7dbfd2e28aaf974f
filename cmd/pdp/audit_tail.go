package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/store"
)

// followEvery is how often a tail looks for what has come.
const followEvery = 500 * time.Millisecond

// maxTail is how many records a tail begins with at most.
const maxTail = 10_000

type auditTailCmd struct {
	storeFlags
	recordFlags
	Lines  int    `short:"n" default:"20" placeholder:"N" help:"Begin with so many of the latest records, at most 10,000 (default ${default})."`
	Follow bool   `short:"f" help:"Go on with what comes, until interrupted."`
	Output output `short:"o" enum:"table,json," default:"" placeholder:"FORM" help:"table (default on a terminal) or json (default in a pipe): one object in a line."`
}

func (*auditTailCmd) Help() string {
	return `Times are UTC. ABOUT says which call, token, grant or policy a record is about, and
why; what does not fit on the terminal is cut. JSON has everything, also the ids that
--caller and --session take.

Example:

  pdp audit tail -f
  pdp audit tail -n 100 --session 7f3a --output json`
}

func (c *auditTailCmd) Run(ctx context.Context, a *app) error {
	q, err := c.query(time.Now())
	if err != nil {
		return err
	}
	if c.Lines < 0 || c.Lines > maxTail {
		return failure{exitUsage, fmt.Errorf("-n %d: write a number up to %d", c.Lines, maxTail)}
	}
	table := &tailTable{to: a.stdout, palette: a.palette(), columns: a.lineWidth()}
	begin, show := table.begin, table.show
	if c.Output.or(a.stdout) == asJSON {
		begin = func([]store.Record, bool) error { return nil }
		show = func(r *store.Record) error { return showObject(a.stdout, r) }
	}
	return c.visit(ctx, a, toVisit, func(ctx context.Context, s store.Store) error {
		// Following begins before the page is read, so that nothing falls between.
		var follower *audit.Follower
		if c.Follow {
			if follower, err = audit.Follow(ctx, s); err != nil {
				return err
			}
		}
		page, err := audit.Last(ctx, s, q, c.Lines)
		if err != nil {
			return err
		}
		if err := begin(page, c.Follow); err != nil {
			return err
		}
		for i := range page {
			if follower != nil && !follower.Seen(&page[i]) {
				continue // it comes again
			}
			if err := show(&page[i]); err != nil {
				return err
			}
		}
		if follower == nil {
			if len(page) == 0 && c.Output.or(a.stdout) == asTable {
				fmt.Fprintln(a.stderr, "No records.")
			}
			return nil
		}
		return follow(ctx, follower, q, func(r store.Record) error { return show(&r) })
	})
}

// follow shows what comes. A store that cannot be reached for a while is waited
// for.
func follow(ctx context.Context, f *audit.Follower, q store.RecordQuery, show func(store.Record) error) error {
	ticker := time.NewTicker(followEvery)
	defer ticker.Stop()
	for {
		if err := f.Next(ctx, q, show); err != nil && !errors.Is(err, store.ErrUnavailable) {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// showObject writes a record as one line of JSON.
func showObject(to io.Writer, r *store.Record) error {
	e, err := audit.Decode(*r)
	if err != nil {
		return err
	}
	text, err := json.Marshal(e, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = to.Write(append(text, '\n'))
	return err
}
