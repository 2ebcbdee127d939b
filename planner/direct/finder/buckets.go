package finder

import (
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// The bucket sizes of PyTorch's DistributedDataParallel: the first bucket is small so that
// communication starts early. (torch/csrc/distributed/c10d/reducer.hpp)
const (
	DDPFirstBucket units.Bytes = units.MiB
	DDPBucket      units.Bytes = 25 * units.MiB
)

// Buckets returns the sizes of the allreduces that data-parallel training makes of the
// gradients of layers, which are listed from input to output. Gradients become ready from
// output to input and fill a bucket until it has reached its limit, as in PyTorch's
// DistributedDataParallel after the first iteration. The i-th bucket has the i-th limit,
// and those beyond the last limit that; DDPFirstBucket and DDPBucket are the usual ones.
func Buckets(layers []units.Bytes, limits ...units.Bytes) ([]units.Bytes, error) {
	if len(limits) == 0 {
		return nil, fmt.Errorf("%w: no limit for buckets", ErrInvalid)
	}
	for _, limit := range limits {
		if limit < 1 {
			return nil, fmt.Errorf("%w: a bucket limit of %d bytes, want at least 1", ErrInvalid, limit)
		}
	}
	var buckets []units.Bytes
	var filled units.Bytes
	for i, layer := range slices.Backward(layers) {
		if layer < 0 || layer > math.MaxInt64-filled {
			return nil, fmt.Errorf("%w: layer %d has %d bytes, want at least 0 and a sum below 2^63", ErrInvalid, i, layer)
		}
		filled += layer
		if filled >= limits[min(len(buckets), len(limits)-1)] {
			buckets = append(buckets, filled)
			filled = 0
		}
	}
	if filled > 0 {
		buckets = append(buckets, filled)
	}
	return buckets, nil
}
