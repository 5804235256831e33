package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/calibrate"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/tune"
)

func newEmit() *cobra.Command {
	var flags build.Flags
	var watch bool
	var tuned, machine string
	c := &cobra.Command{
		Use:   "emit FILE.kg[#NAME]|-e TEXT",
		Short: "Emit the source text of kernels",
		Long: `Emit compiles all pipelines of a file, or the named one, and writes their source
text to a folder: a file per pipeline, and what they share. The text needs
nothing of kgen. Equal input gives equal bytes.

With --go, backends of kernels emit Go too: the functions of gocpu and, for
each, a form that runs on a device, over package kgen of this module. Kernels
and the plans by which they run are embedded, from the folder kgen_kernels.

With --check, emit writes nothing. It prints what it would change, as a diff,
and fails if that is anything: in CI, generated files then match their source.

With --tuned, the level and the schedule are the best that kgen tune has found
for the pipeline, over the most rows that were measured; the text runs over any
data, on any device.

With --watch, emit goes on after that: it emits again whenever the file has
changed. Errors are printed, and the files stay as they are until it is mended.

With --after, emit prints the program as it is after one pass instead:
` + strings.Join(compile.Passes(), ", ") + `.`,
		Example: `  kgen emit orders.kg --backend gocpu --package tpch -o out
  kgen emit queries.kg#q6 --fuse none -o out
  kgen emit orders.kg --backend cuda --go --tests --package tpch -o out
  kgen emit orders.kg --package tpch -o out --check
  kgen emit orders.kg --package tpch -o out --watch
  kgen emit orders.kg --fuse paper2 --after=tile`,
		Args: arguments(1, 1, "one file, FILE.kg or FILE.kg#NAME, or -e TEXT"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := onlyTuned(c); err != nil {
				return err
			}
			if machine != "" && machine != declaredMachine {
				f, err := calibrate.Read(machine)
				if err != nil {
					return err
				}
				flags.Machine = f.Machine
			}
			emit := func() error {
				load := func() (*source, error) { return loadAll(c, args) }
				if tuned != "" {
					if err := emitTuned(c, args, tuned); err != nil {
						return err
					}
				}
				return flags.Emit(c.Context(), load, c.OutOrStdout())
			}
			if !watch {
				return emit()
			}
			if len(args) == 0 || c.Flags().Changed("check") {
				return usageErrorf("--watch waits for changes of a file: leave out -e and --check")
			}
			path, _ := splitName(args[0])
			return watchFile(c, path, emit)
		},
	}
	flags.Bind(c.Flags())
	tunedFlag(c, &tuned)
	machineFlag(c, &machine, declaredMachine+" ones")
	c.Flags().BoolVar(&watch, "watch", false, "emit again whenever the file has changed, until Ctrl-C")
	takeInline(c)
	takeReproducible(c)
	c.ValidArgsFunction = completePipeline
	completeFlags(c, map[string]cobra.CompletionFunc{
		"backend": words(build.EmitterNames()...), "fuse": completeLevel, "schedule": completeSchedule, "after": words(compile.Passes()...),
		"package": cobra.NoFileCompletions, "output": completeFolder,
	})
	return c
}

// emitTuned sets the level and the schedule to those of a file of kgen tune.
func emitTuned(c *cobra.Command, args []string, path string) error {
	file, err := tune.Read(path)
	if err != nil {
		return err
	}
	_, pipeline, err := loadOne(c, args)
	if err != nil {
		return err
	}
	chosen, err := chooseTuned(c, path, file, tune.Use{Pipeline: pipeline, Backend: c.Flags().Lookup("backend").Value.String()})
	if err != nil {
		return err
	}
	if err := c.Flags().Set("fuse", chosen.Level); err != nil {
		return err
	}
	return c.Flags().Set("schedule", chosen.Schedule)
}
