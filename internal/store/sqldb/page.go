package sqldb

import "context"

// listing says how a table is read in pages by its ids.
type listing struct {
	table, columns string
	size           string // bytes of a row
	last           string // a condition: not behind the id ?
	order          string
}

// readPage reads the first rows, up to a number and a size of all together, but
// one if there is any. next is the id of the last one if there are more. The
// sizes are looked at first: what does not go into the page is never read.
func readPage[T any](
	ctx context.Context, d *DB, what string, scan func(scanner) (T, error), l listing, w *where, limit int, bytes int64,
) (page []T, next string, err error) {
	ctx, cancel := d.deadline(ctx)
	defer cancel()
	type row struct {
		id   string
		size int64
	}
	fits, err := readRows(ctx, d, what, func(s scanner) (r row, err error) {
		err = s.Scan(&r.id, &r.size)
		return r, err
	}, "SELECT id, "+l.size+" FROM "+l.table+w.String()+" ORDER BY "+l.order+" LIMIT ?", append(w.args[:len(w.args):len(w.args)], limit+1)...)
	if err != nil || len(fits) == 0 {
		return nil, "", err
	}
	n, sum := 0, int64(0)
	for n < min(limit, len(fits)) {
		sum += fits[n].size
		if bytes > 0 && sum > bytes && n > 0 {
			break
		}
		n++
	}
	last := fits[n-1].id
	if n < len(fits) {
		next = last
	}
	w.and(l.last, last)
	page, err = readRows(ctx, d, what, scan,
		"SELECT "+l.columns+" FROM "+l.table+w.String()+" ORDER BY "+l.order+" LIMIT ?", append(w.args, n)...)
	if err != nil {
		return nil, "", err
	}
	return page, next, nil
}
