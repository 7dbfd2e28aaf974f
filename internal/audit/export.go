package audit

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/internal/store"
)

// exportFormat is the version of an export's lines.
const exportFormat = "pdp audit export 1"

// Line is one line of an export: its head, a writer with the beginning of its
// chain, a checkpoint, or a record.
type Line struct {
	Type string `json:"type"` // export, writer, checkpoint, record, end

	Format  string `json:"format,omitzero"`  // export
	Partial bool   `json:"partial,omitzero"` // export: not all records of each chain

	Writer string `json:"writer,omitzero"`
	Seq    int64  `json:"seq,omitzero"`
	ID     string `json:"id,omitzero"`
	// Time is in UTC, in microseconds.
	Time    string `json:"time,omitzero"`
	Kind    string `json:"kind,omitzero"`
	Session string `json:"session_id,omitzero"`
	Caller  string `json:"caller,omitzero"`
	Tool    string `json:"tool_name,omitzero"`
	Outcome string `json:"outcome,omitzero"`
	Code    string `json:"code,omitzero"`
	Erased  bool   `json:"erased,omitzero"`
	// Content is byte for byte what was hashed.
	Content jsontext.Value `json:"content,omitzero"`
	// Raw stands for a content that is no JSON in one line.
	Raw         []byte `json:"content_base64,omitzero"`
	Salt        hexed  `json:"salt,omitzero"`
	ContentHash hexed  `json:"content_hash,omitzero"`
	Prev        hexed  `json:"prev,omitzero"` // the hash of the record before
	Hash        hexed  `json:"hash,omitzero"`

	PublicKey hexed `json:"public_key,omitzero"` // writer, checkpoint
	Pruned    int64 `json:"pruned,omitzero"`     // writer: the last record that retention took
	Signature hexed `json:"signature,omitzero"`  // checkpoint
	Records   int64 `json:"records,omitzero"`    // end
}

// hexed is bytes as hexadecimal digits.
type hexed []byte

func (h hexed) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(h)), nil }

func (h *hexed) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

const lineTime = "2006-01-02T15:04:05.000000Z"

// CheckpointLine is a checkpoint as it stands in an export, with the key that
// signed it.
func CheckpointLine(w store.Writer, c store.Checkpoint) Line {
	return Line{
		Type: "checkpoint", Writer: c.Writer, Seq: c.Seq, Hash: c.Hash, Kind: c.Kind, Time: c.Time.UTC().Format(lineTime),
		Signature: c.Signature, PublicKey: w.PublicKey,
	}
}

func writerLine(w store.Writer) Line {
	return Line{
		Type: "writer", Writer: w.ID, PublicKey: w.PublicKey, Time: w.Started.UTC().Format(lineTime),
		Pruned: w.Pruned, Hash: w.PrunedHash,
	}
}

func recordLine(r *store.Record, prev []byte) Line {
	l := Line{
		Type: "record", Writer: r.Writer, Seq: r.Seq, ID: r.ID, Time: r.Time.UTC().Format(lineTime), Kind: r.Kind,
		Session: r.Session, Caller: r.Caller, Tool: r.Tool, Outcome: r.Outcome, Code: r.Code,
		Erased: r.Content == nil, Salt: r.Salt, ContentHash: r.ContentHash, Prev: padded(prev), Hash: r.Hash,
	}
	if compactJSON(r.Content) {
		l.Content = r.Content
	} else {
		l.Raw = r.Content
	}
	return l
}

func (l *Line) time() (time.Time, error) { return time.Parse(time.RFC3339Nano, l.Time) }

func (l *Line) writer() (store.Writer, error) {
	at, err := l.time()
	return store.Writer{ID: l.Writer, PublicKey: l.PublicKey, Started: at, Pruned: l.Pruned, PrunedHash: l.Hash}, err
}

func (l *Line) checkpoint() (store.Checkpoint, error) {
	at, err := l.time()
	return store.Checkpoint{Writer: l.Writer, Seq: l.Seq, Hash: l.Hash, Kind: l.Kind, Time: at, Signature: l.Signature}, err
}

func (l *Line) record() (store.Record, error) {
	at, err := l.time()
	r := store.Record{
		Writer: l.Writer, Seq: l.Seq, ID: l.ID, Time: at, Kind: l.Kind, Session: l.Session, Caller: l.Caller,
		Tool: l.Tool, Outcome: l.Outcome, Code: l.Code, Salt: l.Salt, ContentHash: l.ContentHash, Hash: l.Hash,
	}
	r.Content = l.Content
	if l.Raw != nil {
		r.Content = l.Raw
	}
	if l.Erased && r.Content != nil {
		r.Salt = nil // whoever reads the line would take it for what was hashed
	}
	return r, err
}

// lineOptions keep a content's bytes as they are.
var lineOptions = json.JoinOptions(jsontext.PreserveRawStrings(true), jsontext.AllowInvalidUTF8(true))

// Export writes the records that a query selects (its Before and Limit do not
// count) as lines of JSON, chain by chain, each in its order, with all that
// [VerifyExport] needs. It reads as it goes, and returns how many records it wrote.
// It fails with [ErrPruned] rather than leave out what retention takes meanwhile.
func Export(ctx context.Context, log store.Log, q store.RecordQuery, to io.Writer) (int64, error) {
	out := bufio.NewWriterSize(to, 1<<16)
	put := func(l Line) error {
		if err := json.MarshalWrite(out, l, lineOptions); err != nil {
			return err
		}
		return out.WriteByte('\n')
	}
	q.Before, q.Limit = "", 0
	if err := put(Line{Type: "export", Format: exportFormat, Partial: q != store.RecordQuery{}}); err != nil {
		return 0, fmt.Errorf("exporting the audit log: %w", err)
	}
	n, err := walkAll(ctx, log, q, func(w store.Writer) (func() error, error) {
		// The checkpoints come first: what they speak of is then there.
		marks, err := log.ListCheckpoints(ctx, w.ID)
		return func() error {
			if err := put(writerLine(w)); err != nil {
				return err
			}
			for _, m := range marks {
				if err := put(CheckpointLine(w, m)); err != nil {
					return err
				}
			}
			return nil
		}, err
	}, func(r *store.Record, prev []byte) error { return put(recordLine(r, prev)) })
	if err == nil {
		// Without this line a file is known to be cut off.
		err = put(Line{Type: "end", Records: n})
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return n, fmt.Errorf("exporting the audit log: %w", err)
	}
	return n, nil
}

// Columns are those of a CSV export. New ones come at the end.
func Columns() []string {
	return []string{
		"time", "id", "kind", "outcome", "code", "risk", "rule", "mode", "reason", "tool_name", "arguments", "session_id", "caller",
		"caller_name", "role", "approval_id", "note", "details", "duration_ns", "policy_revision", "trace_id", "erased", "writer", "seq", "hash",
	}
}

// ExportCSV writes the records that a query selects as CSV with a first line of
// names. What a spreadsheet would take for a formula begins with an apostrophe.
// It cannot be verified.
func ExportCSV(ctx context.Context, log store.Log, q store.RecordQuery, to io.Writer) (int64, error) {
	out := csv.NewWriter(to)
	err := out.Write(Columns())
	var n int64
	if err == nil {
		n, err = walkAll(ctx, log, q, beginNothing, func(r *store.Record, _ []byte) error {
			return out.Write(cells(r))
		})
	}
	out.Flush()
	if err = errors.Join(err, out.Error()); err != nil {
		return n, fmt.Errorf("exporting the audit log: %w", err)
	}
	return n, nil
}

// cells are a record's columns. A content that cannot be read leaves its own empty
// and says so in the note.
func cells(r *store.Record) []string {
	e, err := Decode(*r)
	if err != nil {
		e = Entry{}
		e.Caller.ID, e.Note = r.Caller, err.Error()
	}
	d, call := e.Decision, e.Call
	if d == nil {
		d = new(Facts)
	}
	if call == nil {
		call = new(Call)
	}
	row := []string{
		r.Time.UTC().Format(lineTime), r.ID, r.Kind, r.Outcome, r.Code, d.Risk, d.Rule, d.Mode, d.Reason, r.Tool,
		string(call.Arguments), r.Session, r.Caller, e.Caller.Name, e.Caller.Role, e.Approval, e.Note, string(e.Details),
		strconv.FormatInt(e.Duration, 10), d.PolicyRevision, e.Trace, strconv.FormatBool(e.Erased), r.Writer,
		strconv.FormatInt(r.Seq, 10), hex.EncodeToString(r.Hash),
	}
	for i, cell := range row {
		row[i] = noFormula(cell)
	}
	return row
}

// noFormula makes a cell that no spreadsheet takes for a formula, in any form in
// which the signs are written.
func noFormula(cell string) string {
	first := strings.TrimLeft(cell, " \u00a0\ufeff")
	for _, sign := range []string{"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "|", "%"} {
		if strings.HasPrefix(first, sign) {
			return "'" + cell
		}
	}
	return cell
}
