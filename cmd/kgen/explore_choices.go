package main

import (
	"context"
	"errors"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/explore/columns"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/testsuite"
)

// isRandom reports whether a program was made by chance: its columns are those of kgen
// difftest unless --dist says other ones.
func isRandom(d explore.DataSet) bool {
	return strings.HasPrefix(d.Pipeline, randomName) && d.Data == columns.Automatic
}

// byChance makes the columns of a program by chance: each of a shape of its own, and within what checks
// allow.
func (r *exploreRunner) byChance(p *ir.Pipeline, d explore.DataSet) ([]ir.Column, error) {
	name := fnv.New64a()
	name.Write([]byte(d.Pipeline))
	made := testsuite.RandomData{Rows: int(d.Rows), Tile: 1 << 12, Shape: testsuite.Mixed, Seed: r.flags.seed ^ name.Sum64(), Whole: true}.Columns(p)
	for i, column := range made {
		from := raw.Bytes(column)
		memory, err := r.space.New(int64(len(from)))
		if err != nil {
			return nil, err
		}
		copy(memory, from)
		made[i] = raw.FromBytes(column.Kind, memory)
	}
	return made, nil
}

// shareDevices lets the workers of devices, where all have workers, take turns by the file of --lock: columns
// move and compilers run meanwhile.
func (f *exploreFlags) shareDevices(names []string) error {
	f.workersTakeTurns = f.lock != "" && !slices.Contains(names, defaultDevice)
	if !f.workersTakeTurns {
		return nil
	}
	path, err := filepath.Abs(f.lock)
	if err != nil {
		return err
	}
	return os.Setenv(worker.TurnsVariable, path)
}

// turns returns what waits until this process may use the device, which without --lock it always may.
func (f *exploreFlags) turns() func(context.Context) (end func(), err error) {
	if f.lock == "" || f.workersTakeTurns {
		return func(context.Context) (func(), error) { return func() {}, nil }
	}
	lock := flock.New(f.lock)
	return func(ctx context.Context) (func(), error) {
		taken, err := lock.TryLockContext(ctx, time.Millisecond)
		if err == nil && !taken {
			err = errors.New("the lock " + f.lock + " cannot be had")
		}
		return func() { lock.Unlock() }, err
	}
}
