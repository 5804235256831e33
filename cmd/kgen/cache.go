package main

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/internal/device/cache"
)

// cacheRow is a line of the list.
type cacheRow struct {
	Kind    string     `json:"kind"`
	Entries int        `json:"entries"`
	Bytes   int64      `json:"bytes"`
	Used    *time.Time `json:"last_used,omitempty"`
}

func newCache() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "cache",
		Short: "Show or clean the cache of built programs",
		Long: `Cache shows what kgen keeps between runs, by the device it is for: built
programs, machine code, and what probes of devices found.

The cache is the folder kgen of the user's cache, or the folder that KGEN_CACHE
names. When something is added, the least recently used entries beyond
KGEN_CACHE_LIMIT (default 2GiB) are removed, except those used within the last
hour. What is missing is built again.`,
		Example: "  kgen cache\n  kgen cache --json\n  kgen cache clean --older 24h",
		Args:    arguments(0, 0, "no arguments; there is kgen cache clean"),
		RunE: func(c *cobra.Command, _ []string) error {
			root, limit, entries, err := cached()
			if err != nil {
				return err
			}
			rows := cacheRows(entries)
			if asJSON {
				return writeJSON(c.OutOrStdout(), map[string]any{"folder": root, "limit": limit, "caches": rows})
			}
			w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "KIND\tENTRIES\tSIZE\tLAST USED")
			var bytes int64
			for _, r := range rows {
				bytes += r.Bytes
				used := "never"
				if r.Used != nil {
					used = r.Used.Format(time.DateTime)
				}
				fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", r.Kind, r.Entries, humanize.IBytes(uint64(r.Bytes)), used)
			}
			if err := w.Flush(); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s of %s in %s\n", humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(limit)), root)
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.AddCommand(newCacheClean())
	return c
}

// cached returns the folder of the cache, its limit and its entries.
func cached() (root string, limit int64, entries []cache.Entry, err error) {
	if limit, err = cache.Limit(); err != nil {
		return "", 0, nil, &usageError{Err: err}
	}
	if root, err = cache.Root(); err != nil {
		return "", 0, nil, err
	}
	entries, err = cache.Entries(root)
	return root, limit, entries, err
}

// cacheRows sums entries up; the least recently used is the first of them.
func cacheRows(entries []cache.Entry) []cacheRow {
	var rows []cacheRow
	for _, kind := range cache.Kinds {
		row := cacheRow{Kind: kind}
		for _, e := range entries {
			if e.Kind == kind {
				row.Entries++
				row.Bytes += e.Bytes
				row.Used = &e.Used
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func newCacheClean() *cobra.Command {
	var all bool
	var older time.Duration
	c := &cobra.Command{
		Use:   "clean",
		Short: "Remove entries of the cache",
		Long: `Clean removes what was not used for the time of --older, or all with --all.
Without either it removes what is beyond the limit, as kgen does by itself.`,
		Example: "  kgen cache clean --older 24h\n  kgen cache clean --all",
		Args:    arguments(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			if all && older != 0 || older < 0 {
				return usageErrorf("--older TIME, above 0, or --all")
			}
			root, limit, before, err := cached()
			if err != nil {
				return err
			}
			if !all && older == 0 {
				err = cache.Trim(root, limit)
			}
			now := time.Now()
			for _, e := range before {
				if all || older > 0 && now.Sub(e.Used) > older {
					_, failed := e.Remove()
					err = errors.Join(err, failed)
				}
			}
			if err != nil {
				return err
			}
			after, err := cache.Entries(root)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%d entries removed, %d left\n", max(len(before)-len(after), 0), len(after))
			return err
		},
	}
	c.Flags().BoolVar(&all, "all", false, "remove everything")
	c.Flags().DurationVar(&older, "older", 0, "remove what was not used for `TIME`, as in 24h")
	return c
}
