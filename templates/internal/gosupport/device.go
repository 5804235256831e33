package support

//lint:file-ignore U1000 The tests of a pipeline use some of these.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/kgen-go/kgen"
)

// kgenOnDevice is a subject that a device computes, too.
type kgenOnDevice interface {
	kgenSubject
	name() string                          // of the device
	callOn(ctx context.Context) error      // with slices
	callInto(ctx context.Context) error    // with slices, to the results of the last call
	callColumns(ctx context.Context) error // with columns on the device
}

// kgenOpenDevice opens the device that KGEN_TEST_DEVICE names, such as cuda:0, opencl:0 or
// cudaemu; that it does not open is a failure. If the variable is not set, it opens the first
// device that has kernels, or skips the test.
func kgenOpenDevice(t *testing.T, kernels fs.FS) *kgen.Device {
	t.Helper()
	if name := os.Getenv("KGEN_TEST_DEVICE"); name != "" {
		device, err := kgenTryDevice(t, name)
		if err != nil {
			t.Fatalf("KGEN_TEST_DEVICE is %s: %v", name, err)
		}
		return device
	}
	backends, err := fs.Glob(kernels, "*/*")
	if err != nil {
		t.Fatal(err)
	}
	var missing error
	for _, backend := range backends {
		device, err := kgenTryDevice(t, backend[len("kgen_kernels/"):]+":0")
		if err == nil {
			return device
		}
		missing = errors.Join(missing, err)
	}
	t.Skipf("there is no device: %v\nKGEN_TEST_DEVICE=cudaemu runs kernels of CUDA C++ on the CPU", missing)
	return nil
}

// kgenTryDevice opens a device and requires that it takes a column.
func kgenTryDevice(t *testing.T, name string) (*kgen.Device, error) {
	device, err := kgen.Open(t.Context(), name)
	if err != nil {
		return nil, err
	}
	column, err := kgen.Upload(t.Context(), device, []int32{1})
	if err != nil {
		device.Close()
		return nil, err
	}
	column.Free()
	t.Cleanup(func() { device.Close() })
	return device, nil
}

// kgenTestDevice requires that a device and the plain function agree with the reference.
func kgenTestDevice(t *testing.T, make func() kgenSubject) {
	t.Helper()
	if !kgenTestSeeds(t, make, kgenCompareDevice) || testing.Short() {
		return
	}
	for seed := range uint64(2) { // enough rows for many work-groups
		if kgenReport(t, make, kgenCompareDevice, seed, 100_000+int(seed)) {
			return
		}
	}
}

// kgenCompareDevice calls the function, and its forms on a device, and describes a
// difference, or returns "".
func kgenCompareDevice(subject kgenSubject, d *kgenData) string {
	s := subject.(kgenOnDevice)
	s.draw(d)
	plain := s.call()
	if difference := s.differ(plain); difference != "" {
		return "the plain function: " + difference
	}
	for _, call := range []struct {
		form string
		run  func(context.Context) error
	}{{"RunInto", s.callInto}, {"Run", s.callOn}, {"RunInto again", s.callInto}, {"RunColumns", s.callColumns}} {
		err := call.run(context.Background())
		difference := s.differ(err)
		if difference == "" && err != nil && err.Error() != plain.Error() {
			difference = fmt.Sprintf("it fails with %v; the plain function with %v", err, plain)
		}
		if difference != "" {
			return fmt.Sprintf("%s on %s: %s", call.form, s.name(), difference)
		}
	}
	return ""
}

// kgenColumns are columns on a device, during a call.
type kgenColumns struct {
	ctx    context.Context
	device *kgen.Device
	all    []*kgen.Column
	err    error // of the first that failed
}

func kgenUpload[T kgen.Element](c *kgenColumns, rows []T) *kgen.Column {
	column, err := kgen.Upload(c.ctx, c.device, rows)
	c.err = errors.Join(c.err, err)
	c.all = append(c.all, column)
	return column
}

func kgenRead[T kgen.Element](c *kgenColumns, column *kgen.Column) []T {
	rows, err := kgen.Read[T](c.ctx, column)
	c.err = errors.Join(c.err, err)
	return rows
}

func (c *kgenColumns) free() {
	for _, column := range c.all {
		column.Free()
	}
}
