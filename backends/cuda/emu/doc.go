// Package emu runs emitted CUDA C++ on the CPU, to find out whether it is right.
// g++ compiles the unchanged text with a header that declares CUDA's keywords,
// and the result runs in a child process in which every CUDA thread is a fiber.
//
//	e, err := emu.New(ctx, emu.Options{Check: true})
//	if err != nil {
//		return err // a MissingError if there is no g++
//	}
//	defer e.Close()
//	result, err := e.Run(ctx, emu.Request{Plan: p, Texts: texts, Inputs: inputs})
//
// By default, an emulator only computes. With [Options.Check] it also reports
// races, accesses out of bounds, reads of unwritten memory, barriers and warp
// operations that some threads miss, and endless waiting, as a [FaultError] with
// the line of the text. A seed decides the order in which threads and blocks run;
// the same seed gives the same report. Sizes are in bytes.
//
// Inputs, results and caches have types that are internal to this module; other
// modules run the emulation by kgen run --device cudaemu:check.
// docs/cuda-emulation.md has the rules of the checks and their limits.
package emu
