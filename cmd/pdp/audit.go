package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/store"
)

type auditCmd struct {
	Tail       auditTailCmd       `cmd:"" help:"Show the latest records, and follow what comes."`
	Export     auditExportCmd     `cmd:"" help:"Write records as JSON lines or CSV."`
	Verify     auditVerifyCmd     `cmd:"" help:"Say whether the log is as it was written."`
	Checkpoint auditCheckpointCmd `cmd:"" help:"Print the latest checkpoint of each chain, to be kept elsewhere."`
	Erase      auditEraseCmd      `cmd:"" help:"Take away the contents of a session's records."`
	Backup     auditBackupCmd     `cmd:"" help:"Write a copy of the store while the service runs."`
}

func (*auditCmd) Help() string {
	return `The audit log is kept in the store of the service. These commands open it
themselves: who may read its files needs no other right.

Example:

  pdp audit tail --outcome deny`
}

// visit opens the store for as long as do takes, which may be long.
func (f *storeFlags) visit(ctx context.Context, a *app, how opening, do func(context.Context, store.Store) error) error {
	if f.StateDir == "" {
		f.StateDir = a.stateDir()
	}
	if f.Store == noStore {
		return failure{exitUsage, errors.New("--store none keeps no audit log")}
	}
	opened, err := a.openStore(ctx, f.Store, f.StateDir, how)
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, opened), opened.Close())
}

// recordFlags select records.
type recordFlags struct {
	Kind    string `placeholder:"KIND" help:"Only records of this kind: decision, approval_opened, grant, …"`
	Session string `placeholder:"ID" help:"Only records of this session."`
	Caller  string `placeholder:"ID" help:"Only records of this caller, such as token:4MZ3QJ7KXA."`
	Tool    string `placeholder:"NAME" help:"Only records of this tool."`
	Outcome string `placeholder:"OUTCOME" help:"Only records with this outcome: allow, ask, deny, …"`
	Code    string `placeholder:"CODE" help:"Only records with this code."`
	Since   string `placeholder:"WHEN" help:"Only records from then on: a time ago such as 12h or 7d, a day, or a time such as 2030-12-31T08:00:00Z."`
	Until   string `placeholder:"WHEN" help:"Only records before then; written as for --since."`
}

func (f *recordFlags) query(now time.Time) (store.RecordQuery, error) {
	q := store.RecordQuery{Kind: f.Kind, Session: f.Session, Caller: f.Caller, Tool: f.Tool, Outcome: f.Outcome, Code: f.Code}
	var err, late error
	q.Since, err = parsePast("--since", f.Since, now)
	q.Until, late = parsePast("--until", f.Until, now)
	if err = errors.Join(f.known(), err, late); err != nil {
		return q, failure{exitUsage, err}
	}
	return q, nil
}

// parsePast reads a time ago, a day, which begins then, or a time.
func parsePast(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return day, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	// What is read as a time from now is as long ago.
	at, err := parseExpiry(text, now)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s %q: write a time ago such as 12h or 7d, a day such as 2030-12-31, or a time such as 2030-12-31T08:00:00Z", flag, text)
	}
	return now.Add(-at.Sub(now)), nil
}

type auditExportCmd struct {
	storeFlags
	recordFlags
	Format string `enum:"jsonl,csv" default:"jsonl" placeholder:"FORM" help:"jsonl (default; can be verified) or csv (for spreadsheets)."`
	To     string `type:"path" placeholder:"FILE" help:"A file that does not exist yet (default: the standard output)."`
}

func (*auditExportCmd) Help() string {
	return `Records come chain by chain, each in its order. JSON lines hold the chain and its
checkpoints, so that pdp audit verify --file can verify them anywhere.

Example:

  pdp audit export --to audit.jsonl
  pdp audit export --format csv --since 30d --outcome deny`
}

func (c *auditExportCmd) Run(ctx context.Context, a *app) error {
	q, err := c.query(time.Now())
	if err != nil {
		return err
	}
	export := audit.Export
	if c.Format == "csv" {
		export = audit.ExportCSV
	}
	return c.visit(ctx, a, toVisit, func(ctx context.Context, s store.Store) error {
		to, done := a.stdout, func(error) error { return nil }
		if c.To != "" {
			file, err := newFile(c.To)
			if err != nil {
				return err
			}
			to, done = file, func(err error) error { return finishFile(file, err) }
		}
		n, err := export(ctx, s, q, to)
		if err = errors.Join(err, done(err)); err != nil {
			return err
		}
		if c.To != "" {
			fmt.Fprintf(a.stderr, "%d records are in %s.\n", n, plain(c.To))
		}
		return nil
	})
}

// newFile makes a file that only its owner can read.
func newFile(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, isThere(name)
	}
	return file, err
}

// isThere is about a file that is never written over.
func isThere(name string) error {
	return failure{exitNegative, fmt.Errorf("%s is there already; name another file", plain(name))}
}

// finishFile syncs a file, or removes it after an error.
func finishFile(file *os.File, failed error) error {
	var err error
	if failed == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if failed != nil || err != nil {
		err = errors.Join(err, os.Remove(file.Name()))
	}
	return err
}

type auditVerifyCmd struct {
	storeFlags
	File       string   `type:"path" placeholder:"FILE" help:"Verify this export instead of the store; - is the standard input."`
	Key        []string `type:"path" placeholder:"FILE" help:"A public key (audit.pub) that may sign; can be repeated (default: the keys that the log names)."`
	Checkpoint []string `type:"path" placeholder:"FILE" help:"Checkpoints that were kept elsewhere, as pdp audit checkpoint prints them; can be repeated."`
	Output     output   `short:"o" enum:"table,json," default:"" placeholder:"FORM" help:"table (default on a terminal) or json (default in a pipe)."`
}

func (*auditVerifyCmd) Help() string {
	return `Exit code 1 says that something was found: a record that was changed, is missing, or
stands elsewhere than it was written; or that nothing was ever written to the log. Who can write the log and has no key cannot hide
that, except at the end: what came after the latest checkpoint can be taken away
unseen. Checkpoints and keys that are kept elsewhere show more than the log alone.

Example:

  pdp audit verify
  pdp audit verify --key /mnt/elsewhere/audit.pub --checkpoint /mnt/elsewhere/marks.jsonl
  pdp audit verify --file audit.jsonl`
}

func (c *auditVerifyCmd) Run(ctx context.Context, a *app) error {
	var o audit.VerifyOptions
	for _, name := range c.Key {
		key, err := audit.ReadPublic(name)
		if err != nil {
			return misusedFile(err)
		}
		o.Keys = append(o.Keys, key)
	}
	for _, name := range c.Checkpoint {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		known, err := audit.ReadKnown(bytes.NewReader(text))
		if err != nil {
			return failure{exitUsage, fmt.Errorf("--checkpoint %s: %w; it takes what pdp audit checkpoint prints", plain(name), err)}
		}
		o.Known = append(o.Known, known...)
	}
	report, err := c.verify(ctx, a, o)
	if err != nil {
		return err
	}
	if c.Output.or(a.stdout) == asJSON {
		err = json.NewEncoder(a.stdout).Encode(map[string]any{"good": report.Good(), "report": report})
	} else {
		err = printReport(a.stdout, report, o)
	}
	if err == nil && !report.Good() {
		return errNegative
	}
	return err
}

// misusedFile tells a file that is not what it is given for, which is a mistake
// of the command line, from one that cannot be read.
func misusedFile(err error) error {
	var unread *fs.PathError
	if errors.As(err, &unread) {
		return err
	}
	return failure{exitUsage, err}
}

func (c *auditVerifyCmd) verify(ctx context.Context, a *app, o audit.VerifyOptions) (report *audit.Report, err error) {
	switch c.File {
	case "":
		err = c.visit(ctx, a, toVisit, func(ctx context.Context, s store.Store) error {
			report, err = audit.Verify(ctx, s, o)
			return err
		})
		return report, err
	case "-":
		a.awaits("an export")
		return audit.VerifyExport(ctx, a.stdin, o)
	}
	file, err := os.Open(c.File)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return audit.VerifyExport(ctx, file, o)
}

// printReport writes what was found in sentences.
func printReport(to io.Writer, r *audit.Report, o audit.VerifyOptions) error {
	var b bytes.Buffer
	key := ""
	for _, c := range r.Chains {
		fmt.Fprintf(&b, "Chain %s: %s", plain(c.Writer), counted(c.Records, "record"))
		if c.Records > 1 {
			fmt.Fprintf(&b, ", %d to %d", c.First, c.Last)
		}
		if c.Signed >= 0 {
			fmt.Fprintf(&b, "; signed up to %d", c.Signed)
		}
		if c.Unsigned > 0 {
			fmt.Fprintf(&b, "; the last %d are not signed", c.Unsigned)
		}
		if c.Erased > 0 {
			fmt.Fprintf(&b, "; %d without content", c.Erased)
		}
		if c.Pruned > 0 {
			fmt.Fprintf(&b, "; retention took those up to %d", c.Pruned)
		}
		b.WriteByte('\n')
		if c.Key != key { // chains of one service mostly have the same
			key = c.Key
			fmt.Fprintf(&b, "  key %s\n", key)
		}
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "FOUND %s", f.Fault)
		if f.Writer != "" {
			fmt.Fprintf(&b, " in chain %s", plain(f.Writer))
		}
		if f.ID != "" {
			fmt.Fprintf(&b, " (id %s)", plain(f.ID))
		}
		fmt.Fprintf(&b, ": %s\n", plain(f.Text))
	}
	if r.More > 0 {
		fmt.Fprintf(&b, "… and %d more.\n", r.More)
	}
	if r.Partial {
		b.WriteString("The file is said to hold only some records: missing ones cannot be told.\n")
	}
	if r.Unchecked > 0 {
		fmt.Fprintf(&b, "There are too many erasures: whether %d more contents were erased on purpose was not looked up, so the log is not called whole.\n", r.Unchecked)
	}
	if r.Strays > 0 {
		fmt.Fprintf(&b, "FOUND strays: %s of records or checkpoints that no writer's chain has; somebody else put them into the store.\n", counted(r.Strays, "row"))
	}
	if len(o.Keys) == 0 && len(r.Chains) > 0 {
		b.WriteString("The keys are those that the log itself names; name yours with --key.\n")
	}
	switch {
	case r.Good():
		if r.Records == 1 {
			b.WriteString("The 1 record is as it was written.\n")
			break
		}
		fmt.Fprintf(&b, "All %d records are as they were written.\n", r.Records)
	case len(r.Findings) > 0 || r.Strays > 0:
		b.WriteString("The log is NOT as it was written.\n")
	case len(r.Chains) == 0:
		b.WriteString("No records: nothing was ever written to this log, so there is nothing to verify. Is it the right one?\n")
	}
	_, err := to.Write(b.Bytes())
	return err
}

func counted(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

type auditCheckpointCmd struct {
	storeFlags
}

func (*auditCheckpointCmd) Help() string {
	return `A checkpoint is signed and short. Kept where nobody who can write the log can change it,
it shows later whether the log was cut off or rewritten before it. How many records
come after it, and are not signed yet, is written to the standard error.

Example:

  pdp audit checkpoint >> /mnt/elsewhere/marks.jsonl`
}

func (c *auditCheckpointCmd) Run(ctx context.Context, a *app) error {
	return c.visit(ctx, a, toVisit, func(ctx context.Context, s store.Store) error {
		ends, err := audit.Ends(ctx, s)
		if err != nil {
			return err
		}
		for _, e := range ends {
			if e.Unsigned > 0 {
				fmt.Fprintf(a.stderr, "Chain %s: its last %d records are not signed.\n", plain(e.Writer), e.Unsigned)
			}
		}
		return audit.WriteLines(a.stdout, audit.Latest(ends))
	})
}

type auditEraseCmd struct {
	storeFlags
	Session string `required:"" placeholder:"ID" help:"The session."`
	Note    string `placeholder:"TEXT" help:"Why; it is recorded."`
}

func (*auditEraseCmd) Help() string {
	return `Arguments, paths, reasons and notes of the session's records are gone for good; that
there was a record, when, of which kind, for which caller and tool, and with which
outcome, stays, and so does the chain. The erasure is recorded. Backups and exports are
not reached. Exits with 1, and writes nothing, if no record has the session.

Example:

  pdp audit erase --session 7f3a --note 'asked for by the user'`
}

func (c *auditEraseCmd) Run(ctx context.Context, a *app) error {
	return c.visit(ctx, a, toChange, func(ctx context.Context, s store.Store) error {
		some, err := audit.Last(ctx, s, store.RecordQuery{Session: c.Session}, 1)
		if err != nil {
			return err
		}
		if len(some) == 0 {
			return failure{exitNegative, fmt.Errorf("no record has the session %q; nothing is erased", c.Session)}
		}
		w, err := visitAudit(ctx, s, c.StateDir)
		if err != nil {
			return err
		}
		n, err := w.Erase(ctx, c.Session, operator(), c.Note)
		if err = errors.Join(err, w.Close(ctx)); err != nil {
			return err
		}
		if n == 1 {
			fmt.Fprintln(a.stderr, "The content of 1 record is gone.")
			return nil
		}
		fmt.Fprintf(a.stderr, "The contents of %d records are gone.\n", n)
		return nil
	})
}

type auditBackupCmd struct {
	storeFlags
	File string `arg:"" type:"path" name:"FILE" help:"The copy; a file that does not exist yet."`
}

func (*auditBackupCmd) Help() string {
	return `The copy is consistent and holds everything that is stored: sessions, approvals, hashes
of tokens and the audit log. The signing key is not in it. A PostgreSQL database is backed
up by its own tools.

Example:

  pdp audit backup /mnt/backup/pdp.db`
}

func (c *auditBackupCmd) Run(ctx context.Context, a *app) error {
	return c.visit(ctx, a, toVisit, func(ctx context.Context, s store.Store) error {
		name, err := filepath.Abs(c.File)
		if err != nil {
			return err
		}
		err = s.Backup(ctx, name)
		switch {
		case errors.Is(err, store.ErrExists):
			return isThere(name)
		case errors.Is(err, store.ErrUnsupported):
			return failure{exitUsage, errors.New("this database has its own tools for that: pg_dump")}
		case err == nil:
			fmt.Fprintf(a.stderr, "The copy is in %s.\n", name)
		}
		return err
	})
}
