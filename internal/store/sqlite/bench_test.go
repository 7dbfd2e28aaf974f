package sqlite

import (
	"testing"

	"github.com/agent-pdp/pdp/internal/store/storetest"
)

// BenchmarkAppend compares with a bare loop: the same driver, settings, table and
// indexes.
func BenchmarkAppend(b *testing.B) {
	bare := storetest.BareInsert(b, mustOpen(b, place(b), Options{}).write, insertRecord)
	storetest.BenchAppend(b, mustOpen(b, place(b), Options{}), bare)
}
