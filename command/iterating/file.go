package iterating

import (
	"bufio"
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/iteration"
)

// Load reads the plan of an iteration from a file, for a page, and proves it.
func Load(ctx context.Context, file string) (*iteration.Document, error) {
	f, err := files.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, err := iteration.Decode(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	report, err := iteration.Verify(ctx, d)
	if err != nil {
		return nil, err
	}
	if bad := report.First(); bad != nil {
		return nil, &command.IncorrectPlanError{Check: *bad}
	}
	return d, nil
}
