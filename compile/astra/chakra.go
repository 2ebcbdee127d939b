package astra

import (
	"io"

	"github.com/lightpath-net/lightpath/workload/chakra"
)

// Node is one node of a trace.
type Node = chakra.Node

// WriteTrace writes the trace of a rank.
func WriteTrace(w io.Writer, nodes []Node) error {
	t, err := chakra.NewWriter(w)
	if err != nil {
		return err
	}
	for i := range nodes {
		if err := t.Node(&nodes[i]); err != nil {
			return err
		}
	}
	return t.Close()
}
