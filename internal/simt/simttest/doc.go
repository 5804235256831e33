// Package simttest emulates a device for tests of lowering. It runs loop
// programs of the profile simt, each kernel compiled into Go functions once
// (compile.go), and needs no driver.
//
// The device keeps a few work-groups resident, and switches between their
// work-items at random wherever they can observe each other: at barriers, atomic
// operations and volatile loads. It reports data races, indices out of bounds,
// reads of local memory before any write, and barriers that not all work-items
// reach. Global memory holds random bytes at first.
//
//	device := simttest.NewDevice(lowered.Kernels, rand.New(rand.NewPCG(1, 1)))
//	result, err := exec.Run(ctx, device, lowered.Plan, inputs, exec.Options{})
package simttest
