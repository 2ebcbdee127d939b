package mscclpp

import (
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// Limits of sizes, as of August 2026. Beyond them the loader gives no error: offsets wrap
// around, and chunks overlap.
const (
	// addressable is how far into a buffer an operand may reach. Its offset, size and end are
	// 32-bit numbers of bytes in the loader, in the kernel and in the messages to the proxy.
	addressable = 1 << 32
	// maxMinimum is the largest min_message_size. The loader reads it as an int: 2^31 becomes
	// negative and then larger than any message.
	maxMinimum = 1<<31 - 1
	// unlimited is the max_message_size of a file that gives none.
	unlimited = math.MaxUint64
	// reusedScratch is the size of the scratch that all plans with reuse_resources share.
	reusedScratch = 1 << 26
	// vector is how many bytes the kernel adds at once. It adds the remainder at wrong
	// addresses, unless the first operand is at the beginning of its buffer.
	vector = 16
)

// message returns the chunks of the buffer whose size the loader compares with min_message_size
// and max_message_size.
func (d *Document) message(rank int) int {
	if d.Collective == string(collective.AllGather) {
		return d.GPUs[rank].OutputChunks
	}
	return d.GPUs[rank].InputChunks
}

// maxChunk returns the largest number of bytes that a chunk of a rank may have for all of the
// rank's operands to be addressable.
func (d *Document) maxChunk(rank int) uint64 {
	gpu := &d.GPUs[rank]
	most := uint64(addressable)
	for b := range gpu.ThreadBlocks {
		for i := range gpu.ThreadBlocks[b].Ops {
			op := &gpu.ThreadBlocks[b].Ops[i]
			if op.Name == "flush" { // its targets are only counted
				continue
			}
			for _, list := range [2][]Chunk{op.Src, op.Dst} {
				for _, c := range list {
					most = min(most, addressable/uint64(c.Index+c.Size), (addressable-1)/uint64(c.Size))
				}
			}
		}
	}
	if d.ReuseResources && gpu.ScratchChunks > 0 {
		scratch := uint64(reusedScratch)
		if d.DoubleScratch {
			scratch /= 2
		}
		most = min(most, scratch/uint64(gpu.ScratchChunks))
	}
	align := uint64(d.BufferAlignment)
	return most / align * align
}

// Largest returns the largest message for which the document is correct, in the measure that the
// loader compares with max_message_size. The document must be well-formed.
func (d *Document) Largest() uint64 {
	largest := uint64(unlimited)
	for rank := range d.GPUs {
		largest = min(largest, d.maxChunk(rank)*uint64(d.message(rank)))
	}
	return largest
}

// Carries returns an error if a well-formed document is not correct for a size of the
// collective.
func (d *Document) Carries(size units.Bytes) error {
	if largest := d.Largest(); uint64(int64(size)/d.part()) > largest {
		return fmt.Errorf("%v is beyond offsets of 32 bits, which are right up to %d bytes", size, largest*uint64(d.part()))
	}
	return nil
}

// sizes checks that the document is correct for all messages that the loader lets through. A
// file without a max_message_size is for messages of up to Largest.
func (r *reader) sizes() error {
	if r.BufferAlignment < 1 || r.BufferAlignment > 1<<20 {
		return fmt.Errorf("buffer_alignment is %d, not in 1..%d", r.BufferAlignment, 1<<20)
	}
	if r.MinMessageSize < 0 || r.MinMessageSize > maxMinimum {
		return fmt.Errorf("min_message_size is %d, not in 0..%d: the loader reads it as a number of 32 bits", r.MinMessageSize, maxMinimum)
	}
	if uint64(r.MinMessageSize) > r.MaxMessageSize {
		return fmt.Errorf("min_message_size %d is above max_message_size %d: no message fits", r.MinMessageSize, r.MaxMessageSize)
	}
	largest := r.Largest()
	if uint64(r.MinMessageSize) > largest {
		return fmt.Errorf("min_message_size is %d, but the largest message whose operands end within 4 GiB is %d", r.MinMessageSize, largest)
	}
	if r.MaxMessageSize == unlimited {
		return r.kernel()
	}
	for rank := range r.GPUs {
		align, chunks := uint64(r.BufferAlignment), uint64(r.message(rank))
		if r.MaxMessageSize/(align*chunks)*align > r.maxChunk(rank) {
			return fmt.Errorf("max_message_size is %d; offsets and sizes of operands are numbers of 32 bits, which are right up to %d", r.MaxMessageSize, largest)
		}
	}
	return r.kernel()
}

// kernel checks for operations that the kernel silently gets wrong.
func (r *reader) kernel() error {
	return r.each(func(at program.Place, op *Operation) error {
		switch op.Name {
		case "re", "res", "rre", "rres":
			if r.BufferAlignment%vector != 0 {
				return fmt.Errorf("%s with a buffer_alignment of %d; the kernel adds %d bytes at once, and what is left over at wrong addresses", op.Name, r.BufferAlignment, vector)
			}
		}
		for _, list := range [2][]Chunk{op.Src, op.Dst} {
			for i := range list {
				o := r.operand(at.Rank, at.Block, op, &list[i])
				if r.DoubleScratch && op.Name != "flush" && o.Rank != at.Rank && o.Loc.Buffer == program.Scratch {
					return fmt.Errorf("%s to or from scratch of rank %d with use_double_scratch_buffer, whose halves the kernel exchanges at the rank itself only", op.Name, o.Rank)
				}
			}
		}
		return nil
	})
}

// part returns how many messages make up the size of the collective: for a gather, the loader
// compares the input, and every rank has one part of that.
func (d *Document) part() int64 {
	if d.Collective == string(collective.Gather) {
		return int64(len(d.GPUs))
	}
	return 1
}

// Meant returns the sizes of the collective that the document is for.
func (d *Document) Meant() (low, high units.Bytes) {
	return units.Bytes(d.MinMessageSize * d.part()), units.Bytes(int64(d.MaxMessageSize) * d.part())
}

// window sets the messages that the loader lets through. By default the bounds are half and
// twice the planned size, as far as the documents are correct.
func window(documents []*Document, size units.Bytes, o *Options) error {
	part := documents[0].part()
	largest := int64(math.MaxInt64)
	for _, d := range documents {
		largest = min(largest, int64(min(d.Largest(), uint64(math.MaxInt64/part)))*part)
	}
	const remedy = "use it for parts of at most that, each in an allocation of its own, or compile to msccl or rccl"
	low, high := o.MinBytes, o.MaxBytes
	switch {
	case int64(size) > largest:
		return lower.Refuse("the plan is for %v; MSCCL++ has offsets of 32 bits, with which its program is right up to %v: %s",
			size, units.Bytes(largest), remedy)
	case high > largest:
		return lower.Refuse("messages of up to %v; MSCCL++ has offsets of 32 bits, with which the program of this plan is right up to %v: %s",
			units.Bytes(high), units.Bytes(largest), remedy)
	case low/part > maxMinimum:
		return lower.Refuse("messages from %v on; MSCCL++ reads min_message_size as a number of 31 bits, at most %dB: set a smaller minimum", units.Bytes(low), maxMinimum*part)
	}
	if low == 0 {
		low = min(int64(size)/2, maxMinimum*part)
	}
	if high == 0 {
		high = min(2*int64(size), largest)
	}
	if low > high {
		return lower.Refuse("messages from %v to %v: there are none", units.Bytes(low), units.Bytes(high))
	}
	for _, d := range documents {
		d.MinMessageSize, d.MaxMessageSize = low/part, uint64(high/part)
	}
	return nil
}

// withinSizes says for the report for which messages the documents are correct.
func withinSizes(documents []*Document) string {
	largest := uint64(unlimited)
	largest = each.Min(largest, documents, func(d *Document) uint64 { return d.Largest() })
	return fmt.Sprintf("within the limits of MSCCL++, for messages of up to %v", units.Bytes(min(largest, math.MaxInt64)))
}
