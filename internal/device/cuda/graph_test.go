//go:build cuda

package cuda_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/device"
	run "github.com/kgen-go/kgen/internal/device/cuda"
	"github.com/kgen-go/kgen/internal/device/devicetest"
	"github.com/kgen-go/kgen/internal/device/worker"
)

// openSession returns a session with the kernels of the suite.
func openSession(t *testing.T, d worker.Driver) worker.Session {
	t.Helper()
	s, err := d.Open(context.Background(), suite.Number(), worker.SessionOptions{Sources: device.NewSources(nil, map[string]string{devicetest.File: text})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Plans that run again go to the driver as graphs, whatever has changed since; and if the driver
// does not take them, as they did before.
func TestGraphs(t *testing.T) {
	suite.Device(t)
	for _, fails := range []string{"", "instantiate", "change", "launch"} {
		t.Run(fails, func(t *testing.T) {
			t.Setenv("KGEN_TEST_GRAPHS", fails)
			driver := run.New()
			s, other := openSession(t, driver), openSession(t, driver)
			if fails != "" && s.Machine().Device != "a stand-in" {
				t.Skip("only the stand-in fails")
			}
			devicetest.Again(t, 400, s, other)
			if twice := run.MarksTwice(s); twice > 0 {
				t.Errorf("%d marks are given back twice", twice)
			}
			launched := run.GraphsLaunched(s)
			if fails == "" && launched < 300 || fails == "change" && launched > 20 || fails != "" && fails != "change" && launched > 0 {
				t.Errorf("%d graphs", launched)
			}
		})
	}
}

// TestGraphsOff: a variable keeps graphs from being made, to find out what they change.
func TestGraphsOff(t *testing.T) {
	suite.Device(t)
	t.Setenv("KGEN_CUDA_GRAPHS", "off")
	s := openSession(t, run.New())
	devicetest.Again(t, 100, s)
	if launched := run.GraphsLaunched(s); launched > 0 {
		t.Errorf("%d graphs", launched)
	}
}

// A kernel of a graph that goes wrong, or never ends, is named as any other.
func TestKernelOfGraphThatFails(t *testing.T) {
	c := suite.Device(t)
	request := func(entry string) worker.Request {
		p := devicetest.GrowPlan() // its rounds are graphs, from the second one on
		p.Kernels[0].Variants[0].Entry = entry
		return suite.Request(p, nil)
	}
	_, err := c.Run(context.Background(), request("crack"))
	var refused *worker.DeviceError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), `kernel "grow" over 64 rows failed: `) || !strings.Contains(err.Error(), "illegal memory access") {
		t.Errorf("%v", err)
	}
	suite.StillWorks(t, c)
	c = suite.Open(t, func(o *worker.Options) { o.Limit = 3 * time.Second })
	_, err = c.Run(context.Background(), request("hang"))
	var late *worker.TimeoutError
	if !errors.As(err, &late) || late.Busy != `kernel "grow" over 64 rows` {
		t.Errorf("%v", err)
	}
}
