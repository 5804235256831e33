package table

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/kgen-go/kgen/ir"
)

var (
	errNoSuchTime = errors.New("a day has no such time")
	errTooFine    = errors.New("it has a part of a microsecond")
)

// rounding says what becomes of a part of a microsecond: an error, or the nearest
// microsecond, the even one of two.
type rounding bool

const (
	exact   rounding = false
	rounded rounding = true
)

// thousandth divides by 1000.
func (r rounding) thousandth(v int64) (int64, bool) {
	q, rest := v/1000, v%1000
	if rest < 0 {
		q, rest = q-1, rest+1000
	}
	if rest > 500 || rest == 500 && q&1 != 0 {
		q++
	}
	return q, rest == 0 || r == rounded
}

// parseTimestamp reads ISO 8601: a date as parseDate does, then nothing (midnight), or T
// or a blank, hours, minutes, and perhaps seconds and their fraction, then nothing or Z
// (UTC) or an offset from UTC.
func parseTimestamp(text string, r rounding) (int64, error) {
	text = trim(text)
	day, clock := text, ""
	if i := strings.IndexAny(text, "Tt "); i >= 0 {
		day, clock = text[:i], text[i+1:]
		if len(clock) < len("15:04") {
			return 0, strconv.ErrSyntax
		}
	}
	days, err := parseDate(day)
	if err != nil {
		return 0, err
	}
	offset := int64(0)
	if i := strings.LastIndexAny(clock, "Zz+-"); i >= 0 {
		if offset, err = parseOffset(clock[i:]); err != nil {
			return 0, err
		}
		clock = clock[:i]
	}
	micros, err := parseClock(clock, r)
	if err != nil {
		return 0, err
	}
	return timestampOf(int64(days), micros-offset)
}

// timestampOf adds days and microseconds of less than two days.
func timestampOf(days, micros int64) (int64, error) {
	for ; micros < 0; days-- {
		micros += ir.MicrosPerDay
	}
	for ; micros >= ir.MicrosPerDay; days++ {
		micros -= ir.MicrosPerDay
	}
	if days < 0 { // the first day that timestamps reach begins before they do
		days, micros = days+1, micros-ir.MicrosPerDay
	}
	begin, ok := scaled(days, ir.MicrosPerDay)
	total := begin + micros
	if !ok || (micros < 0) != (total < begin) {
		return 0, strconv.ErrRange
	}
	return total, nil
}

// parseClock reads hh:mm, hh:mm:ss or hh:mm:ss.fraction; "" is midnight.
func parseClock(text string, r rounding) (micros int64, err error) {
	if text == "" {
		return 0, nil
	}
	if i := strings.IndexAny(text, ".,"); i >= 0 {
		fraction := text[i+1:]
		if i != len("15:04:05") || fraction == "" || strings.Trim(fraction, "0123456789") != "" {
			return 0, strconv.ErrSyntax
		}
		n, _ := digits((fraction + "000000000")[:9])
		if len(fraction) > 9 && strings.Trim(fraction[9:], "0") != "" {
			n |= 1 // more than a half, and no whole number
		}
		var ok bool
		if micros, ok = r.thousandth(int64(n)); !ok {
			return 0, errTooFine
		}
		text = text[:i]
	}
	if len(text) != len("15:04") && len(text) != len("15:04:05") {
		return 0, strconv.ErrSyntax
	}
	unit, most := int64(ir.MicrosPerHour), 23
	for i := 0; i < len(text); i += 3 {
		n, ok := digits(text[i : i+2])
		switch {
		case !ok || i > 0 && text[i-1] != ':':
			return 0, strconv.ErrSyntax
		case n > most:
			return 0, errNoSuchTime
		}
		micros += int64(n) * unit
		unit, most = unit/60, 59
	}
	return micros, nil
}

// parseOffset reads Z, +hh, +hhmm or +hh:mm, or these with -.
func parseOffset(text string) (micros int64, err error) {
	if text == "Z" || text == "z" {
		return 0, nil
	}
	sign := int64(1)
	if text[0] == '-' {
		sign = -1
	}
	parts := strings.Replace(text[1:], ":", "", 1)
	hours, ok := 0, false
	minutes, ok2 := 0, true
	switch len(parts) {
	case len("hhmm"):
		minutes, ok2 = digits(parts[2:])
		fallthrough
	case len("hh"):
		hours, ok = digits(parts[:2])
	}
	switch {
	case !ok || !ok2:
		return 0, strconv.ErrSyntax
	case hours > 23 || minutes > 59:
		return 0, errNoSuchTime
	}
	return sign * (int64(hours)*ir.MicrosPerHour + int64(minutes)*ir.MicrosPerMinute), nil
}

// fromTimestamp converts integers of so many digits of the second: 0, 3 (milliseconds),
// 6 or 9.
func fromTimestamp(k ir.Kind, digits int, r rounding) (conversion, bool) {
	c := conversion{text: func(value []byte) string { return timestampText(load[int64](value), digits) }}
	if k == ir.Timestamp && digits == 6 {
		return c, true // columns hold the same
	}
	micros := r.thousandth
	if digits <= 6 {
		unit := int64(math.Pow10(6 - digits))
		micros = func(v int64) (int64, bool) { return scaled(v, unit) }
	}
	return toTime(c, k, micros)
}

// toTime completes a conversion to kind k of times whose microseconds since 1970 micros
// reads; false if no time is of kind k.
func toTime[P any](c conversion, k ir.Kind, micros func(P) (int64, bool)) (conversion, bool) {
	switch k {
	case ir.Timestamp:
		c.numbers = each(micros)
	case ir.Date:
		c.numbers = each(func(v P) (int32, bool) { return midnight(micros(v)) })
	default:
		return c, false
	}
	return c, true
}

// scaled multiplies; false if the product does not fit.
func scaled(v, by int64) (int64, bool) { return v * by, v*by/by == v }

// midnight returns the day that begins at a time; false if none does.
func midnight(micros int64, ok bool) (int32, bool) {
	return int32(micros / ir.MicrosPerDay), ok && micros%ir.MicrosPerDay == 0
}

// timestampText writes a time of so many digits of the second.
func timestampText(v int64, digits int) string {
	unit := int64(math.Pow10(digits))
	seconds, rest := v/unit, v%unit
	if rest < 0 {
		seconds, rest = seconds-1, rest+unit
	}
	t := time.Unix(seconds, rest*int64(math.Pow10(9-digits))).UTC()
	return t.Format("2006-01-02T15:04:05.999999999Z")
}

// fromDays converts dates, as P counts their days.
func fromDays[P int32 | int64](k ir.Kind) (conversion, bool) {
	c := conversion{text: func(value []byte) string { return string(appendDate(nil, int64(load[P](value)))) }}
	switch k {
	case ir.Date:
		if any(P(0)) != any(int32(0)) {
			c.numbers = each(resize[int32, P])
		}
	case ir.Timestamp:
		c.numbers = each(func(v P) (int64, bool) { return scaled(int64(v), ir.MicrosPerDay) })
	default:
		return c, false
	}
	return c, true
}

// int96 is a time as old writers of Parquet store it: nanoseconds of the day, then the
// Julian day.
type int96 [12]byte

const julianOf1970 = 2440588

func (v int96) parts() (days, nanos int64) {
	return int64(int32(binary.LittleEndian.Uint32(v[8:]))) - julianOf1970, int64(binary.LittleEndian.Uint64(v[:]))
}

// micros returns the microseconds since 1970; false if it has no whole number of them.
func (v int96) micros(r rounding) (int64, bool) {
	days, nanos := v.parts()
	start, ok := scaled(days, ir.MicrosPerDay)
	micros, whole := r.thousandth(nanos)
	return start + micros, ok && whole && nanos >= 0 && nanos < 1000*ir.MicrosPerDay
}

func fromInt96(k ir.Kind, r rounding) (conversion, bool) {
	c := conversion{text: func(value []byte) string {
		days, nanos := int96(value).parts()
		return time.Unix(days*secondsPerDay, nanos).UTC().Format("2006-01-02T15:04:05.999999999Z")
	}}
	return toTime(c, k, func(v int96) (int64, bool) { return v.micros(r) })
}
