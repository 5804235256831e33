package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/plan"
)

// explainFormats are the forms of an explanation; the first is the default.
var explainFormats = []struct {
	name   string
	render func(*fuse.Explanation) ([]byte, error)
}{
	{"text", func(e *fuse.Explanation) ([]byte, error) { return []byte(e.Text()), nil }},
	{"json", (*fuse.Explanation).JSON},
	{"dot", func(e *fuse.Explanation) ([]byte, error) { return []byte(e.Dot()), nil }},
}

func newExplain() *cobra.Command {
	var level, format, schedule string
	var formats []string
	for _, f := range explainFormats {
		formats = append(formats, f.name)
	}
	c := &cobra.Command{
		Use:   "explain FILE.kg[#NAME]|-e TEXT",
		Short: "Show which operators share a kernel, and why",
		Long: `Explain shows the kernels that a fusion level makes of a pipeline: their stages,
the bytes that they move, and for each pair of neighbouring stages whether they
share a kernel, what that saves, or why they do not. Bytes and times are
predictions for assumed lengths, which are shown too.

Levels: none (a kernel per stage), paper3 and paper2 (as published), onepass
(all that one grid-wide prefix allows), auto (the least predicted cost), or a
plan by hand: the stages of each kernel, kernels separated by |.`,
		Example: `  kgen explain orders.kg --fuse paper2
  kgen explain orders.kg --fuse "mask partial offset | add aggregate"
  kgen explain orders.kg --format json
  kgen explain -e 'pipeline p(x: [n]i32) { return s: scan(add, x) }'
  kgen explain queries.kg#q6 --format dot | dot -Tsvg > q6.svg`,
		Args: arguments(1, 1, "one pipeline, FILE.kg or FILE.kg#NAME, or -e TEXT"),
		RunE: func(c *cobra.Command, args []string) error {
			for _, f := range explainFormats {
				if f.name == format {
					return explain(c, args, level, schedule, f.render)
				}
			}
			return usageErrorf("unknown format %s; there are %s", format, strings.Join(formats, ", "))
		},
	}
	c.Flags().StringVar(&level, "fuse", "", build.LevelUsage)
	c.Flags().StringVar(&schedule, "schedule", "", "the `SHAPE` of aggregation, as in variant=direct, which decides what an aggregate reads and writes")
	c.Flags().StringVar(&format, "format", formats[0], "the `FORMAT`: "+strings.Join(formats, ", "))
	takeInline(c)
	c.ValidArgsFunction = completePipeline
	var variants []string
	for _, v := range plan.Variants {
		variants = append(variants, "variant="+v)
	}
	completeFlags(c, map[string]cobra.CompletionFunc{"fuse": completeLevel, "schedule": words(variants...), "format": words(formats...)})
	return c
}

func explain(c *cobra.Command, args []string, level, schedule string, render func(*fuse.Explanation) ([]byte, error)) error {
	shape, err := build.ParseSchedule(schedule)
	if err != nil {
		return err
	}
	if shape != (plan.Schedule{Variant: shape.Variant}) {
		return usageErrorf("--schedule %s: variant alone changes what kernels read and write", schedule)
	}
	source, pipeline, err := loadOne(c, args)
	if err != nil {
		return err
	}
	_, program, err := build.Compile(source, pipeline, "gocpu", level, shape)
	if err != nil {
		return err
	}
	explanation, err := program.Explain()
	if err != nil {
		return err
	}
	text, err := render(explanation)
	if err != nil {
		return err
	}
	_, err = c.OutOrStdout().Write(text)
	return err
}
