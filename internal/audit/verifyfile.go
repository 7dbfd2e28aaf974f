package audit

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/agent-pdp/pdp/internal/store"
)

// maxLine bounds a line of an export.
const maxLine = 4 << 20

// fileCheck verifies an export line by line.
type fileCheck struct {
	*verifier
	writer  *store.Writer // whose chain is read
	marks   []store.Checkpoint
	check   *check // nil until the first record
	records int64
	ended   bool
}

// VerifyExport verifies what [Export] wrote. The error says that it could not be
// read, or is no export.
func VerifyExport(ctx context.Context, from io.Reader, o VerifyOptions) (*Report, error) {
	f := &fileCheck{verifier: newVerifier(o)}
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 1<<16), maxLine)
	lines.Split(wholeLines)
	for n := 1; lines.Scan(); n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := f.line(n, lines.Bytes()); err != nil {
			return nil, fmt.Errorf("verifying an export: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("verifying an export: %w", err)
	}
	if err := f.finish(); err != nil {
		return nil, fmt.Errorf("verifying an export: %w", err)
	}
	return &f.report, nil
}

// wholeLines splits at line feeds alone: a carriage return is a byte like others.
func wholeLines(data []byte, atEnd bool) (advance int, line []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEnd && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

var errNoExport = errors.New("this is no export of an audit log: its first line does not say " + exportFormat)

func (f *fileCheck) line(n int, text []byte) error {
	var l Line
	err := json.Unmarshal(text, &l, lineOptions)
	if n == 1 {
		if err != nil || l.Type != "export" || l.Format != exportFormat {
			return errNoExport
		}
		f.report.Partial = l.Partial
		f.compare(n, text, Line{Type: l.Type, Format: l.Format, Partial: l.Partial}, &l)
		return nil
	}
	told := int64(len(f.report.Findings)) + f.report.More
	var as Line
	if err == nil {
		as, err = f.take(&l)
	}
	if err == nil && told == int64(len(f.report.Findings))+f.report.More {
		f.compare(n, text, as, &l)
	}
	if err != nil {
		f.tell(Finding{Fault: Unreadable, Writer: l.Writer, Seq: l.Seq, ID: l.ID, Text: fmt.Sprintf("line %d: %v", n, err)})
	}
	return nil
}

// compare tells of a line that holds what it should and is not, byte for byte, as
// an export writes it: with more members, or with one changed that no hash covers.
// Who reads the line could take from it what was never recorded.
func (f *fileCheck) compare(n int, text []byte, as Line, l *Line) {
	if written, err := json.Marshal(as, lineOptions); err == nil && bytes.Equal(written, text) {
		return
	}
	f.tell(Finding{
		Fault: Altered, Writer: l.Writer, Seq: l.Seq, ID: l.ID,
		Text: fmt.Sprintf("line %d is not, byte for byte, as an export writes it: something was added to it, written in another way, or changed where no hash covers it", n),
	})
}

// take reads a line, and returns how an export writes what it read.
func (f *fileCheck) take(l *Line) (as Line, err error) {
	if f.ended {
		return as, errors.New("the line stands behind the last one of the export")
	}
	switch l.Type {
	case "writer":
		w, err := l.writer()
		if err != nil {
			return as, err
		}
		f.close()
		if _, ok := f.found[w.ID]; ok {
			return as, errors.New("the chain of this writer was there before")
		}
		f.writer = &w
		return writerLine(w), nil
	case "checkpoint":
		c, err := l.checkpoint()
		switch {
		case err != nil:
			return as, err
		case f.writer == nil || c.Writer != f.writer.ID || f.check != nil:
			return as, errors.New("the checkpoint stands outside its writer's chain")
		}
		f.marks = append(f.marks, c)
		return CheckpointLine(*f.writer, c), nil
	case "record":
		r, err := l.record()
		switch {
		case err != nil:
			return as, err
		case f.writer == nil || r.Writer != f.writer.ID:
			return as, errors.New("the record stands outside its writer's chain")
		}
		f.begin()
		f.records++
		f.check.record(&r, padded(l.Prev))
		return recordLine(&r, l.Prev), nil
	case "end":
		f.close()
		f.ended = true
		if l.Records != f.records {
			return as, fmt.Errorf("the export had %d records, and here are %d", l.Records, f.records)
		}
		return Line{Type: l.Type, Records: l.Records}, nil
	}
	return as, errors.New("this is no line of an export")
}

// begin starts to check the chain that was announced.
func (f *fileCheck) begin() {
	if f.check != nil {
		return
	}
	slices.SortStableFunc(f.marks, func(a, b store.Checkpoint) int { return int(max(min(a.Seq-b.Seq, 1), -1)) })
	f.check = f.verifier.begin(*f.writer, f.marks)
}

// close ends the chain that was read.
func (f *fileCheck) close() {
	if f.writer == nil {
		return
	}
	f.begin()
	f.check.end()
	f.add(f.check)
	f.writer, f.check, f.marks = nil, nil, nil
}

func (f *fileCheck) finish() error {
	f.close()
	if !f.ended {
		f.tell(Finding{Fault: CutOff, Text: "the file has no last line: it was cut off, or the export did not end well"})
	}
	f.absent()
	f.idle()
	if !f.report.Partial {
		f.explain()
	}
	f.sort()
	return nil
}

// ReadKnown reads checkpoints that were kept elsewhere: lines as they stand in an
// export.
func ReadKnown(from io.Reader) ([]Known, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 1<<12), maxLine)
	var list []Known
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var l Line
		if err := json.Unmarshal(lines.Bytes(), &l, lineOptions); err != nil {
			return nil, fmt.Errorf("line %d is no checkpoint and no record", n)
		}
		if l.Type != "checkpoint" {
			continue
		}
		c, err := l.checkpoint()
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		k := Known{Checkpoint: c}
		if len(l.PublicKey) > 0 {
			k.Key = ed25519.PublicKey(l.PublicKey)
		}
		list = append(list, k)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errors.New("there is no checkpoint in it")
	}
	return list, nil
}
