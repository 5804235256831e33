// Package simttest is a device that runs loop programs of the profile simt,
// statement by statement, for tests of lowering: it needs no driver, switches
// between work-items at random wherever they can see each other (barriers,
// atomics, volatile loads), starts work-groups in any order that the scheme permits
// and keeps only so many resident. It reports indices out of bounds, reads of
// local memory that nobody wrote, and barriers that not all work-items reach;
// global memory holds random bytes at first.
package simttest
