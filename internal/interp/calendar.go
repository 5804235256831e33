package interp

import "github.com/kgen-go/kgen/ir"

// The proleptic Gregorian calendar repeats every 400 years. Years are counted
// here from year 0, which is a leap year and precedes year 1.
const (
	daysPerCycle   = 400*365 + 97
	daysBefore1970 = 719528
)

// daysBeforeYear returns the days from year 0 to the first day of year, for
// 0 <= year <= 400.
func daysBeforeYear(year int64) int64 {
	if year == 0 {
		return 0
	}
	last := year - 1
	return 365*year + last/4 - last/100 + last/400 + 1
}

func isLeap(year int64) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

// civil returns the year, month and day of a number of days since 1970-01-01.
func civil(days int64) (year, month, day int64) {
	days += daysBefore1970
	cycle := days / daysPerCycle
	days %= daysPerCycle
	if days < 0 {
		cycle--
		days += daysPerCycle
	}
	year = days / 366 // at most one too small
	if daysBeforeYear(year+1) <= days {
		year++
	}
	days -= daysBeforeYear(year)
	lengths := [...]int64{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	if isLeap(year) {
		lengths[1] = 29
	}
	for days >= lengths[month] {
		days -= lengths[month]
		month++
	}
	return 400*cycle + year, month + 1, days + 1
}

// floorDiv rounds down.
func floorDiv(x, y int64) int64 {
	q := x / y
	if x%y < 0 {
		q--
	}
	return q
}

// dayOf returns the days since 1970-01-01 of a date, or of the day of a timestamp.
func dayOf(k ir.Kind, x uint64) int64 {
	if k == ir.Timestamp {
		return floorDiv(int64(x), ir.MicrosPerDay)
	}
	return int64(x)
}

// dayPart is a part of a day that is given as days since 1970-01-01.
func dayPart(op ir.Op, days int64) int64 {
	year, month, day := civil(days)
	switch op {
	case ir.OpYear:
		return year
	case ir.OpMonth:
		return month
	case ir.OpDay:
		return day
	}
	const monday = 4 // 1970-01-05
	return days - monday - 7*floorDiv(days-monday, 7) + 1
}

// timePart is a part of the time of day of a timestamp.
func timePart(op ir.Op, micros int64) int64 {
	seconds := (micros - ir.MicrosPerDay*floorDiv(micros, ir.MicrosPerDay)) / ir.MicrosPerSecond
	switch op {
	case ir.OpHour:
		return seconds / (60 * 60)
	case ir.OpMinute:
		return seconds / 60 % 60
	}
	return seconds % 60
}

// truncateTime returns the beginning of a unit of a date or timestamp.
func truncateTime(k ir.Kind, x uint64, unit ir.Scalar) uint64 {
	short := map[ir.Scalar]int64{
		ir.Char8Scalar("second"): ir.MicrosPerSecond,
		ir.Char8Scalar("minute"): ir.MicrosPerMinute,
		ir.Char8Scalar("hour"):   ir.MicrosPerHour,
	}
	if length := short[unit]; length > 0 {
		return uint64(length * floorDiv(int64(x), length))
	}
	days := dayOf(k, x)
	_, month, day := civil(days)
	switch unit {
	case ir.Char8Scalar("week"):
		days -= dayPart(ir.OpWeekday, days) - 1
	case ir.Char8Scalar("month"):
		days -= day - 1
	case ir.Char8Scalar("quarter"), ir.Char8Scalar("year"):
		months := (month - 1) % 3
		if unit == ir.Char8Scalar("year") {
			months = month - 1
		}
		days -= day - 1
		for range months { // back to the first day of the month before
			_, _, day := civil(days - 1)
			days -= day
		}
	}
	return cast(ir.Date, k, ir.Int(ir.Date, days).Bits)
}
