// Package exec runs a [plan.Plan] over a [Device].
//
// The executor knows no kernel and no driver. It selects the first variant of
// each kernel that the device can run, executes the steps, accounts for the
// memory and frees all of it on every path. If a plan gives up (a capability is
// missing, a kernel set its abort word, a loop is exhausted), its fallback runs on
// the same inputs.
package exec
