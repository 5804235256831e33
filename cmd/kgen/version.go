package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/internal/version"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of kgen",
		Long: `Version prints the version of kgen, which emitted files begin with, and that of
the Go that built it. In a working copy of kgen the version is (devel).`,
		Example: "  kgen version",
		Args:    arguments(0, 0, "no arguments"),
		Run:     func(c *cobra.Command, _ []string) { fmt.Fprint(c.OutOrStdout(), versionLine()) },
	}
}

// versionLine is what kgen version and kgen --version print.
func versionLine() string {
	return fmt.Sprintf("kgen %s %s %s/%s\n", version.Kgen(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
