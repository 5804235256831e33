// The operations that the text's side and the runtime's name alike.
#pragma once

namespace cudaemu {
enum WarpOp { SyncWarp, Shuffle, Ballot, All, Any, MatchAny, MatchAll,
              AddU32, MinU32, MaxU32, MinS32, MaxS32, AndU32, OrU32, XorU32 };
enum BarrierOp { BarrierSync, BarrierOr, BarrierAnd, BarrierCount };
enum AtomicOp { AtomicUpdate, AtomicLoad, AtomicStore };
// Entry is a kernel as the runtime calls it: with a pointer to each argument.
struct Entry { void (*call)(void **); unsigned count; const unsigned char *sizes; };
}
