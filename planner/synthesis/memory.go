package synthesis

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
)

// Memory remembers what Search found. Several may use it at the same time: what is found
// does not depend on who asks first.
type Memory struct {
	mutex sync.Mutex
	known map[[sha256.Size]byte]remembered
}

type remembered struct {
	result *Result
	err    error
}

// maxRemembered bounds the searches that are kept: what comes later is looked for again.
const maxRemembered = 1 << 12

// NewMemory returns an empty memory.
func NewMemory() *Memory { return &Memory{known: map[[sha256.Size]byte]remembered{}} }

// Search is Search without starting points, which looks only where nobody has looked
// before. The result is shared and must not be changed. A nil memory remembers nothing.
func (m *Memory) Search(ctx context.Context, p Problem, opt Options) (*Result, error) {
	if m == nil {
		return Search(ctx, p, nil, opt)
	}
	key := keyOf(&p, &opt)
	m.mutex.Lock()
	found, ok := m.known[key]
	m.mutex.Unlock()
	if ok {
		return found.result, found.err
	}
	result, err := Search(ctx, p, nil, opt)
	if ctx.Err() != nil || err != nil && !errors.Is(err, ErrInfeasible) && !errors.Is(err, ErrSpent) {
		return result, err // another may get further
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if len(m.known) < maxRemembered {
		m.known[key] = remembered{result, err}
	}
	return result, err
}

// keyOf tells problems with their options apart.
func keyOf(p *Problem, opt *Options) [sha256.Size]byte {
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
