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

// datePart is year, month or day of a date.
func datePart(op ir.Op, date uint64) int64 {
	year, month, day := civil(int64(date))
	switch op {
	case ir.OpYear:
		return year
	case ir.OpMonth:
		return month
	}
	return day
}
