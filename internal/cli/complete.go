package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
)

// offer has the shell complete a flag with one of some words.
func offer(c *cobra.Command, flag string, words func() []string) {
	err := c.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return beginning(words(), typed), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // a flag that is not there, or twice: a slip in this package
	}
}

func beginning(words []string, typed string) []string {
	var fit []string
	for _, w := range words {
		if strings.HasPrefix(w, typed) {
			fit = append(fit, w)
		}
	}
	return fit
}

// offerOperations has the shell complete an operation.
func offerOperations(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, op := range collective.Ops() {
		names = append(names, string(op))
	}
	return beginning(names, typed), cobra.ShellCompDirectiveNoFileComp
}

func algorithmNames() []string {
	names := []string{lightpath.Auto}
	for _, a := range lightpath.List().Algorithms {
		names = append(names, a.Name)
	}
	return names
}

func plannerNames() []string { return lightpath.Planners().Names() }

func presetNames() []string {
	var names []string
	for _, p := range lightpath.List().Presets {
		names = append(names, p.Name)
	}
	return names
}

// scheduledOps are the operations that have schedules on topologies.
func scheduledOps() []string {
	return []string{string(collective.AllGather), string(collective.ReduceScatter), string(collective.AllReduce)}
}
