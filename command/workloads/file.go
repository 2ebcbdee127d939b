package workloads

import (
	"bytes"
	"context"

	"github.com/lightpath-net/lightpath/workload"
)

// IsFile reports, by the first bytes of a file, whether it holds a workload and not a document
// with a workload inside.
func IsFile(head []byte) bool {
	bare := bytes.Join(bytes.Fields(head), nil)
	return bytes.HasPrefix(bare, []byte(`{"schema":"`+workload.Schema+`"`))
}

// Load reads a workload from a file, for a page.
func Load(ctx context.Context, file string) (*Summary, error) {
	w, err := workload.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Workload(ctx, WorkloadRequest{Workload: w})
}
