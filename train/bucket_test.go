package train_test

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

func TestBucketsAreThoseOfDistributedDataParallel(t *testing.T) {
	const mib = units.MiB
	for _, c := range []struct {
		name   string
		layers []units.Bytes
		size   units.Bytes
		want   []units.Bytes
	}{
		{"filled from the output on", []units.Bytes{1, 2, 3, 4}, 6, []units.Bytes{7, 3}},
		{"closed as soon as the size is reached", []units.Bytes{5, 5, 5}, 5, []units.Bytes{5, 5, 5}},
		{"a layer is never cut", []units.Bytes{100, 1}, 10, []units.Bytes{101}},
		{"empty layers need no allreduce", []units.Bytes{0, 0}, 8, nil},
		{"and close none", []units.Bytes{0, 8, 0}, 8, []units.Bytes{8}},
		{"the first is small", []units.Bytes{40 * mib, 10 * mib, 10 * mib, 10 * mib, 2 * mib, mib / 2}, train.DefaultBucket,
			[]units.Bytes{2*mib + mib/2, 30 * mib, 40 * mib}},
	} {
		trace := &train.Trace{Name: "made"}
		for _, bytes := range c.layers {
			trace.Layers = append(trace.Layers, train.Layer{Bytes: bytes})
		}
		if got := trace.Buckets(c.size); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
