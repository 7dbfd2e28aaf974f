package main

import (
	"bufio"
	"io"
	stdlog "log"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// logSink gathers lines and writes them many at a time: a line for each request
// must not cost a system call for each. Warnings and errors are written at once.
type logSink struct {
	mu   sync.Mutex
	buf  *bufio.Writer
	stop chan struct{}
	done chan struct{}
}

const flushEvery = 100 * time.Millisecond

func newLogSink(w io.Writer) *logSink {
	s := &logSink{buf: bufio.NewWriterSize(w, 64<<10), stop: make(chan struct{}), done: make(chan struct{})}
	go s.run()
	return s
}

func (s *logSink) run() {
	defer close(s.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.flush()
		case <-s.stop:
			s.flush()
			return
		}
	}
}

// flush writes what there is. A log that cannot be written is not worth
// stopping for: the next flush starts afresh.
func (s *logSink) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.buf.Flush()
}

// Write takes one line.
func (s *logSink) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(line)
}

// WriteLevel takes one line and knows how urgent it is.
func (s *logSink) WriteLevel(level zerolog.Level, line []byte) (int, error) {
	n, err := s.Write(line)
	if level >= zerolog.WarnLevel {
		s.flush()
	}
	return n, err
}

// Close writes what is left.
func (s *logSink) Close() {
	close(s.stop)
	<-s.done
}

// logger writes to the sink as the flags say.
func (c *serveCmd) logger(sink *logSink, a *app) zerolog.Logger {
	level, err := zerolog.ParseLevel(c.LogLevel)
	if err != nil {
		level = zerolog.InfoLevel // the flag's list leaves no other
	}
	terminal := isTerminal(a.stderr)
	if c.LogFormat == "json" || c.LogFormat == "auto" && !terminal {
		return zerolog.New(sink).Level(level).With().Timestamp().Logger()
	}
	pretty := zerolog.ConsoleWriter{
		Out:        sink,
		TimeFormat: time.TimeOnly,
		NoColor:    !terminal || a.getenv("NO_COLOR") != "",
	}
	return zerolog.New(pretty).Level(level).With().Timestamp().Logger()
}

// serverLog takes what net/http has to say about broken connections.
func serverLog(log zerolog.Logger) *stdlog.Logger {
	return stdlog.New(lineWriter{log}, "", 0)
}

type lineWriter struct{ log zerolog.Logger }

func (w lineWriter) Write(line []byte) (int, error) {
	w.log.Debug().Str("from", "net/http").Msg(strings.TrimSpace(string(line)))
	return len(line), nil
}
