package bind

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/internal/strict"
)

// FlagOf returns the flag of a command that fills a field, or "". Fields have the names of the
// flags, plus a unit at the end, inside the objects that group them. A flag is to blame for a
// setting of the fabric or of an operation only if it was given, because the setting may come
// from a file or an argument.
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
