package sqldb

import "strings"

// where collects the conditions of a query.
type where struct {
	conditions []string
	args       []any
}

// and adds a condition with its arguments.
func (w *where) and(condition string, args ...any) {
	w.conditions = append(w.conditions, condition)
	w.args = append(w.args, args...)
}

// equal adds a condition unless the value is empty.
func (w *where) equal(column, value string) {
	if value != "" {
		w.and(column+" = ?", value)
	}
}

func (w *where) String() string {
	if len(w.conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.conditions, " AND ")
}

// marks returns n lists of parameters: "(?, ?), (?, ?)".
func marks(list string, n int) string {
	return strings.TrimSuffix(strings.Repeat(list+", ", n), ", ")
}

// chunks cuts a list into pieces of at most n.
func chunks[T any](list []T, n int) [][]T {
	var pieces [][]T
	for len(list) > n {
		pieces = append(pieces, list[:n])
		list = list[n:]
	}
	if len(list) > 0 {
		pieces = append(pieces, list)
	}
	return pieces
}

// anys is a list as arguments of a statement.
func anys[T any](list []T) []any {
	args := make([]any, len(list))
	for i, v := range list {
		args[i] = v
	}
	return args
}
