package main

import (
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

func TestALogIsWrittenAtItsEndAtTheLatest(t *testing.T) {
	var out syncBuffer
	sink := newLogSink(&out)
	log := zerolog.New(sink)
	for range 3 {
		log.Info().Msg("a request")
	}
	sink.Close()
	if n := strings.Count(out.String(), "a request"); n != 3 {
		t.Errorf("%d lines", n)
	}
}

func TestAWarningIsWrittenAtOnceWithWhatCameBefore(t *testing.T) {
	var out syncBuffer
	sink := newLogSink(&out)
	defer sink.Close()
	log := zerolog.New(sink)
	log.Info().Msg("first")
	log.Warn().Msg("second")
	if got := out.String(); !strings.Contains(got, "first") || !strings.Contains(got, "second") {
		t.Errorf("%q", got)
	}
}
