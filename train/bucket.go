package train

import (
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// DefaultBucket is the default bucket size of PyTorch's DistributedDataParallel
// (torch/csrc/distributed/c10d/reducer.hpp).
const DefaultBucket = 25 * units.MiB

// Buckets returns the sizes of the allreduces for the gradients of a minibatch, in the order in
// which they become ready, if gradients are collected in buckets of a size above 0. The trace
// must be valid.
func (t *Trace) Buckets(size units.Bytes) []units.Bytes {
	var sizes []units.Bytes
	b := newBucket(size, t)
	for _, l := range slices.Backward(t.Layers) {
		if l.Bytes == 0 {
			continue
		}
		if full, ok := b.add(Collective{Bytes: int64(l.Bytes)}); ok {
			sizes = append(sizes, units.Bytes(full.Bytes))
		}
	}
	return sizes
}

// firstBucket is the size of the first bucket, if that is less than the size of the others:
// small, so that the network starts early.
const firstBucket = units.MiB

// bucket collects gradients, in the order in which they become ready, until it is full, as
// PyTorch's DistributedDataParallel does (Li et al., PyTorch Distributed, §3.2.3; reducer.cpp,
// compute_bucket_assignment_by_size). A bucket is full when it reaches its size, so it may end
// up larger; the last is full when there are no more gradients.
type bucket struct {
	size units.Bytes // of all buckets but the first
	want int64       // of the bucket being filled
	left int64       // bytes of all gradients not seen yet
	open *Collective // nil: empty
}

func newBucket(size units.Bytes, t *Trace) *bucket {
	return &bucket{size: size, want: int64(min(size, firstBucket)), left: int64(t.Totals().Bytes)}
}

// add adds gradients and returns the bucket if that is now full.
func (b *bucket) add(c Collective) (full Collective, ok bool) {
	b.left -= c.Bytes
	if b.open == nil {
		b.open = &c
	} else {
		b.open.join(&c)
	}
	if b.open.Bytes < b.want && b.left > 0 {
		return Collective{}, false
	}
	full, b.open, b.want = *b.open, nil, int64(b.size)
	return full, true
}
