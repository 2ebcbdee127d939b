package modelling

import (
	"bytes"
	"context"

	"github.com/lightpath-net/lightpath/workload"
)

// IsFile tells by the first bytes of a file whether it holds a workload.
func IsFile(head []byte) bool { return bytes.Contains(head, []byte(workload.Schema)) }

// Load reads a workload from a file, for a page.
func Load(ctx context.Context, file string) (*Iteration, error) {
	w, err := workload.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Workload(ctx, WorkloadRequest{Workload: w})
}
