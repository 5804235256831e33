package main

import (
	"bytes"
	"errors"

	"github.com/spf13/cobra"
)

// Bash replaces what is behind the last = of a word, so cobra's script takes the
// word so far off its completions. A single completion is quoted before that, and
// then does not begin with the word if it has a comma: items=4\,table=local.
var (
	cobraUnprefix = []byte(`COMPREPLY[idx]=${COMPREPLY[idx]#"$word"}`)
	kgenUnprefix  = []byte(`COMPREPLY[idx]=${COMPREPLY[idx]#"$word"}
            COMPREPLY[idx]=${COMPREPLY[idx]#"$(printf '%q' "$word")"}`)
)

// mendBashCompletion makes kgen completion bash print cobra's script without that
// fault. The root has its output already.
func mendBashCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	bash, _, err := root.Find([]string{"completion", "bash"})
	if err != nil {
		panic(err)
	}
	bash.RunE = func(c *cobra.Command, _ []string) error {
		plain, err := c.Flags().GetBool("no-descriptions")
		if err != nil {
			return err
		}
		var script bytes.Buffer
		if err := root.GenBashCompletionV2(&script, !plain); err != nil {
			return err
		}
		if !bytes.Contains(script.Bytes(), cobraUnprefix) {
			return errors.New("cobra's script for bash has changed (a bug of kgen)")
		}
		_, err = c.OutOrStdout().Write(bytes.ReplaceAll(script.Bytes(), cobraUnprefix, kgenUnprefix))
		return err
	}
}
