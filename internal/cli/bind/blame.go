package bind

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/internal/strict"
)

// FlagOf is the flag of a command that fills a field, or "": fields have the names of the
// flags, with a unit at their end, inside the objects that they are grouped in. A setting of
// the fabric or an operation is its flag's fault only if that was given: it may come from a
// file or an argument.
func FlagOf(c *cobra.Command, path string) string {
	group := ""
	for name := range strings.SplitSeq(path, ".") {
		name, _, _ = strings.Cut(name, "[")
		switch name {
		case "plan":
			return ""
		case "fabric", "operations", "operation":
			group = name
			continue
		}
		for _, unit := range strict.Units() {
			name = strings.TrimSuffix(name, unit)
		}
		name = strings.ReplaceAll(name, "_", "-")
		if c.Flags().Lookup(name) == nil || group != "" && !c.Flags().Changed(name) {
			return ""
		}
		return name
	}
	return ""
}
