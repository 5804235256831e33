package main

import (
	"context"
	"encoding/binary"
	"io"

	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// copyText reads a column and writes it with one bit changed, so that no level can
// leave it out: what a device can move at most.
const copyText = "pipeline copy(x: [n]i64) { return y: x ^ 1 }\n"

// The rows of the copy, and how often it is repeated.
const (
	copyRows, quickCopyRows = 1 << 23, 1 << 20
	copyRepeat              = 15
)

// measureCopy measures the copy of a device.
func (r *exploreRunner) measureCopy(ctx context.Context, name string) explore.DeviceInfo {
	device := r.devices[name]
	info := device.info()
	rows := int64(copyRows)
	if r.flags.quick {
		rows = quickCopyRows
	}
	median, err := r.copyTime(ctx, device, rows)
	switch {
	case err != nil:
		info.Problem = err.Error()
	case median > 0:
		info.Bytes = 2 * 8 * rows
		info.Copy = float64(info.Bytes) / median
	}
	return info
}

func (r *exploreRunner) copyTime(ctx context.Context, device exploreDevice, rows int64) (float64, error) {
	end, err := r.flags.turns()(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	s, err := loadText("copy.kg", "", []byte(copyText), false, io.Discard)
	if err != nil {
		return 0, err
	}
	data, err := r.space.New(8 * rows)
	if err != nil {
		return 0, err
	}
	defer r.space.Free(data)
	for i := range rows { // so that every page is there
		binary.NativeEndian.PutUint64(data[8*i:], uint64(i))
	}
	program, err := device.prepare(ctx, exploreJob{&explored{"copy", s, s.Pipelines[0]}, nil, "", plan.Schedule{}, []ir.Column{raw.FromBytes(ir.I64, data)}, r.space, r.waiting})
	if err != nil {
		return 0, err
	}
	defer program.close()
	if _, err := program.run(ctx, 2); err != nil {
		return 0, err
	}
	out, err := program.run(ctx, copyRepeat)
	if err != nil {
		return 0, err
	}
	return explore.Summarize(out.Samples).Median, nil
}
