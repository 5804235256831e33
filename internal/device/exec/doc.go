// Package exec runs a [plan.Plan] over a [Device].
//
// The executor knows no kernel and no driver. It picks the first variant of
// each kernel that the device can run, walks the steps, keeps count of the
// memory and gives all of it back on every way out. Where a plan gives up (a
// capability is missing, a kernel set its abort word, a loop is exhausted) its
// fallback runs on the same inputs.
package exec
