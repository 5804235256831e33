// Package resident passes columns of Apache Arrow to programs of package kgen, on any of its
// devices, and makes records of what they return:
//
//	columns, err := resident.Upload(ctx, device, resident.FromTable(table), []*kgen.Program{totals})
//	out, err := executable.Run(ctx, columns.Args(totals, kgen.Args{"day": day}), kgen.KeepAll())
//	record, err := resident.NewRecord(ctx, out)
//
// [Upload] reads the columns that the parameters of programs name, as package kgenarrow reads
// them, and leaves them on the device for any number of calls. The chunks of a column become
// one, and are written to where the device takes its data from, so that the host makes no
// other copy. Strings, with or without an Arrow dictionary, become places in one dictionary
// of all programs. Rows without a value have that of the parameter (missing), and a parameter
// that is present of another tells which rows have one.
//
// [NewRecord] reads results, wherever they lie, as columns of the Arrow types of their kinds.
//
// Columns for a single call need no upload: those without NULL are slices, which
// [kgen.Executable.Run] takes as they are.
package resident
