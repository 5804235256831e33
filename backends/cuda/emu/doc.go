// Package emu runs emitted CUDA C on the CPU, to find out whether it is right.
// The text is compiled unchanged by g++, with a header that gives it CUDA's
// names, and runs in a child process where every CUDA thread is a fiber.
//
// Plain, it shows what a kernel computes. With [Options.Check] it also reports
// races, accesses out of bounds, reads of memory that nobody wrote, barriers
// and warp operations that some threads miss, and threads that wait for each
// other for ever, each with the line of the text. A seed decides the order in
// which threads and blocks run, so that a report can be had again.
//
// docs/cuda-emulation.md says what is checked by which rules, and what is not.
package emu
