// Helpers on dates, which are days since 1970-01-01. The calendar counts days
// from 1 March of a year 0 that is 14704 times 400 years before the common one
// and earlier than all dates (Neri and Schneider, Euclidean affine functions,
// 2022).

//helper march_year(i32) u64
$type(u64) kgen_march_year(int date) { // the year that begins in March
	const $type(u64) n = 4 * ($type(u64))(date + 2148929756) + 3;
	const $type(u64) p = 2939745 * (n % 146097 / 4 * 4 + 3);
	return 100 * (n / 146097) + (p >> 32);
}

//helper march_day(i32) u64
$type(u64) kgen_march_day(int date) { // the day in that year, from 0
	const $type(u64) n = 4 * ($type(u64))(date + 2148929756) + 3;
	const $type(u64) p = 2939745 * (n % 146097 / 4 * 4 + 3);
	return (p & 0xffffffff) / 2939745 / 4;
}

//helper year(i32) i32
int kgen_year(int date) {
	return (int)(($type(i64))kgen_march_year(date) - 5881600) + (kgen_march_day(date) >= 306 ? 1 : 0);
}

//helper month(i32) i32
int kgen_month(int date) {
	const $type(u64) day = kgen_march_day(date);
	return (int)((2141 * day + 197913) >> 16) - (day >= 306 ? 12 : 0);
}

//helper day(i32) i32
int kgen_day(int date) {
	return (int)(((2141 * kgen_march_day(date) + 197913) & 0xffff) / 2141) + 1;
}
