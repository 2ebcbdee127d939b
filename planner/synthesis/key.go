package synthesis

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
)

// Key identifies a call of Search without starting points: the result depends on nothing else,
// unless the context ends the search.
type Key [sha256.Size]byte

// KeyOf returns the key of a problem with options.
func KeyOf(p *Problem, opt *Options) Key {
	text := fmt.Appendf(nil, "%d %d %t %d %d %d %q %q %t %d %d %d\n", p.Nodes, p.Ports, p.Duplex, p.Alpha, p.Delta, p.Bandwidth,
		p.Forwarding, p.Routing, p.CapTheta, opt.Effort, opt.Work, opt.Seed)
	for _, s := range p.Steps {
		text = fmt.Appendf(text, "%v %v %d\n", s.Group.Dims, s.Group.Stride, len(s.Demands))
		for _, d := range s.Demands {
			text = binary.AppendUvarint(text, uint64(d.Src))
			text = binary.AppendUvarint(text, uint64(d.Dst))
			text = binary.BigEndian.AppendUint64(text, math.Float64bits(d.Amount))
		}
	}
	return sha256.Sum256(text)
}
