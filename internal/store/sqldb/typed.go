package sqldb

import (
	"bytes"
	"fmt"
	"strconv"
)

// SQLite holds any type in any column, and a text that became bytes compares
// unequal to what it was, while it reads the same. The log is read so that such
// a value is noticed.

// column is one value of a row: a *string, *int64 or *[]byte.
type column struct {
	name string
	to   any
}

// scanTyped scans a row, and returns the name of a column that is of another
// type than it should be; its value is taken for what it looks like.
func scanTyped(from scanner, columns []column) (odd string, err error) {
	typed := make([]typedValue, len(columns))
	dest := make([]any, len(columns))
	for i := range columns {
		typed[i].to, dest[i] = columns[i].to, &typed[i]
	}
	if err := from.Scan(dest...); err != nil {
		return "", err
	}
	for i := range typed {
		if typed[i].odd {
			return columns[i].name, nil
		}
	}
	return "", nil
}

// scanExact is scanTyped for rows that must be as they were stored.
func scanExact(from scanner, table string, columns []column) error {
	odd, err := scanTyped(from, columns)
	if err == nil && odd != "" {
		err = fmt.Errorf("the column %s of a row of %s is of another type than it was stored in", odd, table)
	}
	return err
}

type typedValue struct {
	to  any
	odd bool
}

// Scan implements sql.Scanner.
func (v *typedValue) Scan(src any) error {
	switch to := v.to.(type) {
	case *string:
		text, ok := src.(string)
		if !ok {
			text, v.odd = asText(src), true
		}
		*to = text
	case *int64:
		number, ok := src.(int64)
		if !ok {
			var err error
			if number, err = strconv.ParseInt(asText(src), 10, 64); err != nil {
				return fmt.Errorf("%v is no whole number", src)
			}
			v.odd = true
		}
		*to = number
	case *[]byte:
		switch src := src.(type) {
		case nil:
			*to = nil
		case []byte:
			*to = bytes.Clone(src) // it is the driver's until the next row
		default:
			*to, v.odd = []byte(asText(src)), true
		}
	}
	return nil
}

func asText(src any) string {
	switch src := src.(type) {
	case nil:
		return ""
	case []byte:
		return string(src)
	}
	return fmt.Sprint(src)
}
