package chakra

import (
	"bytes"
	"context"
	"testing"
)

// Whatever a trace says, it is refused or becomes a workload that can be carried out.
func FuzzLoad(f *testing.F) {
	var b bytes.Buffer
	w, err := NewWriter(&b)
	if err != nil {
		f.Fatal(err)
	}
	for _, n := range []Node{
		{ID: 1, Name: "## process_group:init ##", Type: Metadata, Values: `[[{"pg_name": "1", "ranks": [0]}]]`},
		{ID: 2, Name: "x", Type: Comp, Micros: 3},
		{ID: 3, Name: "c", Type: Collective, Deps: []uint64{2}, Attrs: []Attr{Int("comm_type", 2), Int("comm_size", 8), Text("pg_name", "1")}},
	} {
		if err := w.Node(&n); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes(), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, ranks uint8) {
		nodes, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		made, err := load(context.Background(), []trace{{nodes: nodes}}, nil, Options{SPMD: true, Ranks: int(ranks)})
		if err != nil {
			return
		}
		if _, err := made.Graph(context.Background()); err != nil {
			t.Error(err)
		}
	})
}
