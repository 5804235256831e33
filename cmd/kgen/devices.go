package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen"
)

func newDevices() *cobra.Command {
	var asJSON, quick, processorTime bool
	var calibrated, out string
	c := &cobra.Command{
		Use:   "devices",
		Short: "List the devices that run pipelines",
		Long: `Devices lists where pipelines can run, and for each device that cannot run
now the reason. kgen never replaces a device by another one, but for gocpu
without a Go toolchain: unless you ask for it, vector runs the pipeline.

The CUDA emulation, cudaemu, needs g++; cudaemu:check also reports races,
accesses out of bounds and threads that wait for ever, and cudaemu:check:SEED
runs threads in the order that the seed decides.

OpenCL and CUDA devices are driven by programs of their own, kgen-opencl and
kgen-cuda, which kgen finds beside itself, on PATH, or where KGEN_OPENCL_WORKER
and KGEN_CUDA_WORKER say. An OpenCL device is probed once, in a few seconds, and
what is found is kept in kgen's cache; --json prints it, with the evidence.

--calibrate measures a device in less than a minute: the rate of its memory, a
launch, scans, branches, and loads and additions anywhere in tables of several
sizes. What was measured is kept by device and driver. From then on kgen run,
explain and explore predict by it and level auto chooses by it; kgen emit keeps
to declared machines, so that equal input gives equal text, unless --machine
names a file.`,
		Example: "  kgen devices\n  kgen devices --json\n  kgen devices --calibrate opencl:0\n  kgen devices --calibrate cuda:0 --out h100.json",
		Args:    arguments(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			if calibrated != "" {
				return runCalibrate(c, calibrated, out, quick, processorTime, asJSON)
			}
			if out != "" || quick || processorTime {
				return usageErrorf("--out, --quick and --processor-time are of --calibrate DEVICE")
			}
			waiting := newWaiting(c.ErrOrStderr())
			defer waiting.end()
			rows := kgen.Devices(c.Context(), waiting.on)
			if asJSON {
				return writeJSON(c.OutOrStdout(), map[string]any{"devices": rows})
			}
			w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "DEVICE\tAVAILABLE\tDETAIL")
			for _, r := range rows {
				available := "no"
				if r.Available {
					available = "yes"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", r.Name, available, r.Detail)
			}
			return w.Flush()
		},
	}
	f := c.Flags()
	f.BoolVar(&asJSON, "json", false, "print JSON")
	f.StringVar(&calibrated, "calibrate", "", "measure the `DEVICE`")
	f.StringVarP(&out, "out", "o", "", "write what was measured to `FILE`, and keep nothing")
	f.BoolVar(&quick, "quick", false, "calibrate with few rows, to see whether all works, and keep nothing")
	f.BoolVar(&processorTime, processorTimeFlag, false, processorTimeUsage)
	completeFlags(c, map[string]cobra.CompletionFunc{"calibrate": completeDevice})
	return c
}
