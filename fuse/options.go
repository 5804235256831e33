package fuse

// Options choose among equivalent lowerings.
type Options struct {
	// Tables combines the rows of contiguous groups like the rows of bins: in a
	// table, at the group's number, in any order. Without it segmented scans fold
	// them in their order.
	Tables bool

	// Rows are the lengths of parameters' domains for which costs are predicted, in place of
	// [AssumedRows].
	Rows map[string]int64

	// Radix is the number of bits of the digits by which rows are sorted; 0 is
	// [DefaultRadix].
	Radix int

	// Wide is set if digits of one bit more cost little more, so that keys are sorted by them where that saves
	// a pass. It needs Short.
	Wide bool

	// RadixOfMany is that of many rows, if they are packed into words: fewer passes pay there for more
	// counters. It is Radix where that is more.
	RadixOfMany int

	// Few is up to how many rows are sorted by insertion, without Short; 0 if none are.
	Few int

	// Bins is the largest range of keys whose groups may be combined in bins instead
	// of sorted; 0 is [DefaultBins], and there is none below. With Entered or Short, and Partitions, rows of
	// more bins are partitioned by the high bits of these. Unless Short is set, few rows have as many
	// bins as there are, and so have all rows without Partitions; then Bins is the range of a sample for which that of all is looked for.
	Bins int

	// Windows lets rows of bins(...) be partitioned, with Short, where local memory is small, and only if there are so
	// many bins that it gains all the same. Partitions lets those be that a device with large local memory gains from.
	Windows bool

	// Hash is how many rows there are at least for each group if a hash table finds the
	// groups: if there are more groups, rows are sorted after all. Keys of more than 32 bits
	// need twice as many rows. If Hash is 0, no table is tried.
	Hash int

	// Entered is set if a backend combines rows by the slot of their keys in the kernel that enters
	// these in a hash table. Without it rows are combined by the number of their group, in a pass
	// of its own. With Short it is always so.
	Entered bool

	// HashGroups is the most groups that such a table is for; 0 is [DefaultHashGroups]. Without
	// Entered or Short there is no other limit than Hash.
	HashGroups int

	// Partitions lets rows of more groups than a hash table is for be partitioned by a hash of
	// their keys, if Hash and Entered or Short are set, and a sample of as many rows as Sample says
	// has few groups beside its rows.
	Partitions bool

	// Moved is of how many rows on the rows of a table of find or join move before they enter it, and those of an order before their sort, if
	// Short and Partitions are set; 0 is [DefaultMoved], and they never do below.
	Moved int

	// Parted is how many rows a table of find or join has at least if these, and those that are looked up, are
	// partitioned by a hash of their keys first; 0 is none. It needs Cores.
	Parted int64

	// Strategy is how hash tables of groups are filled, as [plan.Schedule.GroupStrategy] says;
	// "" is as the number of groups suits. Without Short it is not heeded.
	Strategy string

	// Probing is how rows with equal keys are found: one of [plan.Probes]; "" is by their
	// number where keys have a small range, else by linear probing.
	Probing string

	// Sample is how many rows are sorted to choose those that an order with a limit can
	// have, and how many say how groups are made; 0 is [DefaultSample], and there is
	// none below.
	Sample int

	// Claimed is for how many candidates of an order with a small limit there is room where these are found in any order; 0 if they
	// never are. It needs Short.
	Claimed int64

	// Lengths is set if the rows of repeat find their sources by the lengths and the ends of every
	// few rows, and not all ends are stored. It needs Short.
	Lengths bool

	// Cores is set if one worker enters rows in a table in their order, as emitted Go and
	// device vector do.
	Cores bool

	// KeptAtOnce is set if folds over kept groups belong into the prefix of the groups themselves, so
	// that a kernel with masks over groups has one prefix, as suits work-groups. Without it the first
	// follows from the second. Cores need no prefix for either, so that it is not for them.
	KeptAtOnce bool

	// Short is set if no column has 2^32 rows, and the plan may choose the passes of a
	// sort. Then numbers of rows have 32 bits while rows move, and passes are left out by
	// digits that all rows share.
	Short bool
}

// Defaults that suit work-groups: digits whose counters, and bins whose sums, lie in
// local memory, and groups that are few beside the rows.
const (
	DefaultRadix = 8
	DefaultBins  = 8192
	DefaultHash  = 64

	DefaultMoved = 1 << 23 // of so many rows, a table has at least 32 MiB

	DefaultHashGroups = 1024 // whose sums and counts lie in 32 KiB, several copies of each
)
