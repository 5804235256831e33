package main

// calendar are bugs in what is computed of dates and timestamps.
var calendar = []Mutant{
	{Name: "hours before 1970 are negative", File: "fuse/expand_calendar.go", Device: "gocpu", Programs: "timestamps",
		Old: "return c.choose(isBelow, c.plus(c.apply(ir.OpLeast, r, c.number(-1)), modulus), r)",
		New: "return c.choose(isBelow, r, r)"},
	{Name: "days before 1970 round to zero", File: "fuse/expand_calendar.go", Device: "gocpu", Programs: "timestamps",
		Old: "return c.apply(ir.OpSub, c.apply(ir.OpDiv, x, c.number(by)), c.cast(ir.I64, isBelow))",
		New: "return c.apply(ir.OpAdd, c.apply(ir.OpDiv, x, c.number(by)), c.cast(ir.I64, isBelow))"},
	{Name: "weeks begin on Sunday", File: "fuse/expand_calendar.go", Device: "emulated", Programs: "date_units",
		Old: "c.rest(c.plus(days, -4), 7)",
		New: "c.rest(c.plus(days, -3), 7)"},
	{Name: "quarters of leap years begin a day early", File: "fuse/expand_calendar.go", Device: "gocpu", Programs: "date_units",
		Old: "c.plus(leapDay, quarter.days)",
		New: "c.plus(c.apply(ir.OpMul, leapDay, c.number(0)), quarter.days)"},
	{Name: "centuries are leap years", File: "fuse/expand_calendar.go", Device: "gocpu", Programs: "date_units",
		Old: "days = c.apply(ir.OpSub, days, c.quotient(last, 100))",
		New: "days = c.apply(ir.OpSub, days, c.quotient(last, 101))"},
	{Name: "a date's timestamp is noon", File: "fuse/expand_calendar.go", Device: "emulated", Programs: "date_units",
		Old: "return c.cast(ir.Timestamp, c.apply(ir.OpMul, c.days(x), c.number(ir.MicrosPerDay)))",
		New: "return c.cast(ir.Timestamp, c.plus(c.apply(ir.OpMul, c.days(x), c.number(ir.MicrosPerDay)), ir.MicrosPerDay/2))"},
}
