package kgen

import "github.com/kgen-go/kgen/internal/device/worker"

// Parts returns where the time of a run went, on a device with a driver.
func (r *Results) Parts() worker.Parts { return r.parts }
