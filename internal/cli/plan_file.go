package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/plan"
)

// planFlags say how a plan file is read.
type planFlags struct{}

func addPlanFlags(*cobra.Command) *planFlags { return &planFlags{} }

// read reads a plan file.
func (f *planFlags) read(c *cobra.Command, name string) (*plan.Plan, error) {
	if name == "" {
		return nil, fmt.Errorf("%s: the file name is empty", c.Name())
	}
	p, err := plan.ReadFile(c.Context(), name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name(), err)
	}
	return p, nil
}

// inFile says which file a plan that is not correct is in.
func inFile(name string, err error) error {
	var wrong *lightpath.IncorrectPlanError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s: %w", name, err)
	}
	return err
}
