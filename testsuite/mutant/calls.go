package main

// calls are bugs in what is kept from call to call of the library.
var calls = []Mutant{
	{Name: "scalars of an earlier call stay", File: "internal/device/worker/codec.go", Tests: "-run TestPackedAgain ./internal/device/worker",
		Old: "	clear(*all)\n",
		New: ""},
	{Name: "columns of an earlier call stay", File: "internal/device/worker/resident.go", Tests: "-run TestColumns ./internal/device/worker",
		Old: "	clear(l.places)\n",
		New: ""},
	{Name: "a repeated launch has what a later one has", File: "internal/device/worker/repeat.go", Tests: "-run TestRepeat ./internal/device/worker",
		Old: "return r.Session.Launch(ctx, &again)",
		New: "return r.Session.Launch(ctx, l)"},
	{Name: "the context of an ended call ends the next", File: "internal/device/worker/exchange.go", Tests: "-run TestGuard ./internal/device/worker",
		Old: "if call == g.calls {",
		New: "if call <= g.calls {"},
	{Name: "nobody guards a call that sleeps", File: "internal/device/worker/exchange.go", Tests: "-run TestLoaded ./internal/device/worker",
		Old: "ring.Sleeps = c.guard.begin",
		New: "ring.Sleeps = func() {}"},
	{Name: "what is read ahead shares its memory", File: "internal/device/exec/gather.go", Tests: "-run . ./internal/device/exec",
		Old: "a.taken = begin + bytes",
		New: "a.taken = begin"},
	{Name: "arguments of an earlier launch stay", File: "internal/device/exec/step.go", Tests: "-run . ./internal/device/exec",
		Old: "call.Args[:0]",
		New: "call.Args"},
}
