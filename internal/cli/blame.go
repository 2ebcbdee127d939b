package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/strict"
)

// blame says whose fault an error is: of the flag that fills the field which is wrong, or
// else of the command.
func blame(c *cobra.Command, err error) error {
	var named *lightpath.FieldError
	if err == nil || errors.Is(err, errNo) {
		return err
	}
	if errors.As(err, &named) && err == error(named) {
		if flag := flagOf(c, named.Path); flag != "" {
			return fmt.Errorf("--%s: %w", flag, named.Err)
		}
		switch named.Path {
		case c.Name(), "topology": // the argument, which the error quotes
			err = named.Err
		case "style": // the ending of the file says it
			return fmt.Errorf("-o: the ending %w", named.Err)
		}
	}
	return fmt.Errorf("%s: %w", c.Name(), err)
}

// flagOf is the flag of a command that fills a field, or "": fields have the names of the
// flags, with a unit at their end, inside the objects that they are grouped in. A setting of
// the fabric or an operation is its flag's fault only if that was given: it may come from a
// file or an argument.
func flagOf(c *cobra.Command, path string) string {
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

// inFile says which file a plan that is not correct is in.
func inFile(name string, err error) error {
	var wrong *lightpath.IncorrectPlanError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s: %w", name, err)
	}
	return err
}
