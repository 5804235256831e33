package ir

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The calendar types count days or microseconds. What is computed of them follows the
// proleptic Gregorian calendar, in UTC; there are no leap seconds.

// Microseconds of units of time.
const (
	MicrosPerSecond = 1_000_000
	MicrosPerMinute = 60 * MicrosPerSecond
	MicrosPerHour   = 60 * MicrosPerMinute
	MicrosPerDay    = 24 * MicrosPerHour
)

// UnitsOf returns the units to which truncate takes a value of kind k, a calendar type,
// from short to long. Those before day are of timestamps alone.
func UnitsOf(k Kind) []string {
	units := []string{"second", "minute", "hour", "day", "week", "month", "quarter", "year"}
	if k == Date {
		return units[slices.Index(units, "day"):]
	}
	return units
}

// Unit returns the unit of v, which is truncate(x, unit).
func (v *Value) Unit() string {
	b := v.Args[1].Const.Bytes()
	return strings.TrimRight(string(b[:]), "\x00")
}

// buildTruncate builds truncate(x, "unit").
func buildTruncate(g *graph, c *call) operand {
	x, unit := g.as(c.args[0], Date), g.as(c.args[1], Char8)
	if x.bad() || unit.bad() || !g.plain(c.pos, x) {
		return operand{pos: c.pos}
	}
	k := x.kind()
	if !k.IsCalendar() {
		return g.fail(c.pos, "truncate takes "+calendar.noun(), "truncate of %v, which is %v", x, x.typ())
	}
	list := UnitsOf(k)
	hint := fmt.Sprintf("a %v is truncated to one of %s", k, quotedList(list))
	if unit.value.Op != OpConst || unit.kind() != Char8 {
		return g.fail(unit.pos, hint, "the unit of truncate is a constant, and %v is %v", unit, unit.typ())
	}
	made := Value{Op: OpTruncate, Type: Type{Kind: k, Domain: x.typ().Domain}, Args: []*Value{x.value, unit.value}}
	if !slices.Contains(list, made.Unit()) {
		return g.fail(unit.pos, hint, "no %v is truncated to %v", k, unit)
	}
	return g.value(c.pos, made)
}

func quotedList(list []string) string {
	return `"` + strings.Join(list, `", "`) + `"`
}

// calendarExample is how a constant of a calendar type is written.
func calendarExample(k Kind) string {
	if k == Date {
		return `date("1994-01-01")`
	}
	return `timestamp("1994-01-01T12:30:00Z")`
}

// calendarFormat says how constants of a calendar type are written.
func calendarFormat(k Kind) string {
	if k == Date {
		return "write year-month-day of years 0001 to 9999, as in " + calendarExample(k)
	}
	return "write ISO 8601 with at most six digits of a second, of years 0001 to 9999 in UTC, as in " + calendarExample(k)
}

// countedUnit is what the number of a calendar type counts.
func countedUnit(k Kind) string {
	if k == Date {
		return "days"
	}
	return "microseconds"
}

// calendarLiteral reads a constant of a calendar type.
func calendarLiteral(k Kind, text string) (Scalar, bool) {
	if k == Date {
		return dateLiteral(text)
	}
	return timestampLiteral(text)
}

// calendarText is the inverse of calendarLiteral; ok is false outside the years 0001 to
// 9999.
func calendarText(s Scalar) (text string, ok bool) {
	if s.Kind == Date {
		return dateText(s.Int64())
	}
	return timestampText(s.Int64())
}

// dateLiteral reads a date of years 0001 to 9999.
func dateLiteral(text string) (Scalar, bool) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || t.Year() < 1 {
		return Scalar{}, false
	}
	return Int(Date, t.Unix()/(24*60*60)), true
}

// dateText is the inverse of dateLiteral; ok is false outside its years.
func dateText(days int64) (text string, ok bool) {
	t := time.Unix(days*24*60*60, 0).UTC()
	if !hasWrittenYear(t) {
		return "", false
	}
	return t.Format(time.DateOnly), true
}

// timestampLiteral reads a timestamp of years 0001 to 9999: a date, or a date and a time
// by ISO 8601 with seconds or without, and with up to six digits of their fraction. A
// time without an offset from UTC is UTC.
func timestampLiteral(text string) (Scalar, bool) {
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", time.DateOnly} {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		t = t.UTC()
		return Int(Timestamp, t.UnixMicro()), hasWrittenYear(t) && t.Nanosecond()%1000 == 0
	}
	return Scalar{}, false
}

// timestampText is the inverse of timestampLiteral; ok is false outside its years.
func timestampText(micros int64) (text string, ok bool) {
	if !hasWrittenYear(time.UnixMicro(micros).UTC()) {
		return "", false
	}
	return string(AppendTimestamp(nil, micros)), true
}

// AppendTimestamp appends microseconds since 1970 by ISO 8601 in UTC, with no digits of
// a fraction, three or six. Years outside of 0001 to 9999, which no constant has, are
// written with a sign or with as many digits as they take.
func AppendTimestamp(out []byte, micros int64) []byte {
	layout := "2006-01-02T15:04:05Z"
	switch {
	case micros%1000 != 0:
		layout = "2006-01-02T15:04:05.000000Z"
	case micros%MicrosPerSecond != 0:
		layout = "2006-01-02T15:04:05.000Z"
	}
	return time.UnixMicro(micros).UTC().AppendFormat(out, layout)
}

// hasWrittenYear reports whether the year of t has four digits, and is one of our era.
func hasWrittenYear(t time.Time) bool { return t.Year() >= 1 && t.Year() <= 9999 }
