package generate

import (
	"fmt"
	"math"
	"time"

	"github.com/kgen-go/kgen/ir"
)

// What a shop's visitors do: of a thousand events so many on each page.
var eventPages = []struct {
	page  string
	share uint64
}{{"home", 180}, {"search", 260}, {"item", 390}, {"cart", 110}, {"pay", 45}, {"help", 15}}

const (
	eventGap     = 2 * ir.MicrosPerSecond // between events, on average
	eventStretch = 1024                   // events whose users are few
	eventActive  = 64                     // users of a stretch
	noAmount     = -1
)

// Events returns the log of a web shop in the order of time, from 2024-01-01 on, an
// event every two seconds on average. Of each 1,024 events, some half an hour, all are
// of 64 of the users. The page pay has an amount of cents; other rows have none.
func Events(rows, users int64, seed uint64) (Generator, error) {
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	most := (math.MaxInt64 - start) / eventGap
	switch {
	case rows < 1 || rows > most:
		return nil, fmt.Errorf("rows %d: 1 to %d", rows, most)
	case users < 1:
		return nil, fmt.Errorf("users %d: at least 1", users)
	}
	jitter, active, who := newStream(seed, "events at"), newStream(seed, "events active"), newStream(seed, "events user")
	pages, amounts := newStream(seed, "events page"), newStream(seed, "events amount")
	events := byRows(eventColumns, rows, func(first int64, n int, out []ir.Column) {
		at, user, page, amount := room[int64](&out[0], n), room[int64](&out[1], n), room[[8]byte](&out[2], n), room[int64](&out[3], n)
		for i := range n {
			row := first + int64(i)
			at[i] = start + row*eventGap + int64(jitter.below(row, eventGap))
			user[i] = 1 + int64(active.below(row/eventStretch*eventActive+int64(who.below(row, eventActive)), uint64(users)))
			page[i] = eventPage(pages.below(row, 1000))
			amount[i] = noAmount
			if page[i] == ir.Char8Scalar("pay").Bytes() {
				amount[i] = 199 + int64(amounts.below(row, 100)*amounts.below(row+rows, 300)) // few are large
			}
		}
	})
	return incomplete{events, 3, ir.Int(ir.I64, noAmount)}, nil
}

func eventPage(at uint64) [8]byte {
	for _, p := range eventPages {
		if at < p.share {
			return ir.Char8Scalar(p.page).Bytes()
		}
		at -= p.share
	}
	panic("generate: the shares of pages are fewer than 1000")
}

var eventColumns = []Column{
	{"at", ir.Timestamp, "ascending from 2024-01-01, every two seconds on average"},
	{"user", ir.I64, "1 to users; 64 of them in each half hour or so"},
	{"page", ir.Char8, "home, search, item, cart, pay, help"},
	{"amount", ir.I64, "cents where the page is pay, else no value"},
}
