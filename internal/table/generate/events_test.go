package generate

import (
	"testing"

	"github.com/kgen-go/kgen/ir"
)

func TestEvents(t *testing.T) {
	const rows, users = 100_000, 900
	events, err := Events(rows, users, 3)
	columns := rowsOf(t, events, err)
	at, user, page, amount := columns[0].Slice.([]int64), columns[1].Slice.([]int64), columns[2].Slice.([][8]byte), columns[3].Slice.([]int64)
	seen, views := map[int64]bool{}, map[[8]byte]int{}
	for i := range rows {
		if i > 0 && at[i] <= at[i-1] {
			t.Fatalf("row %d is at %d, the one before at %d", i, at[i], at[i-1])
		}
		if paid := page[i] == ir.Char8Scalar("pay").Bytes(); paid != (amount[i] > 0) {
			t.Fatalf("row %d, page %s, has amount %d", i, page[i], amount[i])
		}
		seen[user[i]] = true
		views[page[i]]++
	}
	if gap := (at[rows-1] - at[0]) / (rows - 1); gap < eventGap*9/10 || gap > eventGap*11/10 {
		t.Errorf("%d microseconds between events", gap)
	}
	for u := range seen {
		if u < 1 || u > users {
			t.Errorf("user %d", u)
		}
	}
	stretch := map[int64]bool{}
	for _, u := range user[:eventStretch] {
		stretch[u] = true
	}
	if len(seen) < users*9/10 || len(stretch) > eventActive {
		t.Errorf("%d users, %d of them in the first stretch", len(seen), len(stretch))
	}
	share := uint64(0)
	for _, p := range eventPages {
		share += p.share
		if n := views[ir.Char8Scalar(p.page).Bytes()]; uint64(n) < p.share*rows/1000*8/10 || uint64(n) > p.share*rows/1000*12/10 {
			t.Errorf("%d views of %s", n, p.page)
		}
	}
	if share != 1000 {
		t.Errorf("the shares add up to %d", share)
	}
}

func TestNoEvents(t *testing.T) {
	for _, c := range [][2]int64{{0, 1}, {1, 0}, {1 << 62, 1}} {
		if _, err := Events(c[0], c[1], 1); err == nil {
			t.Errorf("%d rows of %d users", c[0], c[1])
		}
	}
}
