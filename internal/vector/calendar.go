package vector

// A day is counted from 1970-01-01 in the proleptic Gregorian calendar. Years begin in March
// here, so that the day that only some years have is the last. Eras of 400 years have equal
// days; some before 1970 make all numbers positive.
const (
	daysOfEra  = 146097
	erasBefore = 14700
	toMarch    = 719468 // days from 0000-03-01 to 1970-01-01
)

// civil returns year, month and day of the month of a date.
func civil(date int32) (year, month, day int32) {
	days := uint64(int64(date) + toMarch + erasBefore*daysOfEra)
	era, of := days/daysOfEra, days%daysOfEra
	// The days of an era but the leap days before are 365 a year.
	years := (of - of/1460 + of/36524 - of/146096) / 365
	rest := of - (365*years + years/4 - years/100)
	m := (5*rest + 2) / 153 // months of 30 or 31 days, by fives
	day = int32(rest-(153*m+2)/5) + 1
	month = int32(m) + 3
	if m >= 10 {
		month -= 12
		years++
	}
	return int32(int64(era*400+years) - erasBefore*400), month, day
}
