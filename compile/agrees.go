package compile

import (
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/units"
)

const manifestGood = "it agrees with the programs and the timetable"

// agrees checks that a manifest does not contradict its files, because whoever runs it may read
// either. The graph of a program that failed its checks is nil; the report has that failure
// already.
func (m *Manifest) agrees(graphs []*check.Graph, t *timetable.Table) error {
	if len(graphs) > 0 {
		if err := m.lays(graphs[0].BufferMap()); err != nil {
			return err
		}
	}
	switch {
	case m.Ranks < 1:
		return fmt.Errorf("ranks is %d, not 1 or more", m.Ranks)
	case m.Ranks > t.Nodes:
		return fmt.Errorf("ranks is %d, but the timetable is for %d GPUs", m.Ranks, t.Nodes)
	case m.GPUs != nil && len(m.GPUs) != m.Ranks:
		return fmt.Errorf("gpus lists %d for %d ranks", len(m.GPUs), m.Ranks)
	case len(m.Scratch) != m.Ranks:
		return fmt.Errorf("scratch_chunks lists %d for %d ranks", len(m.Scratch), m.Ranks)
	}
	rankOf := map[int]int{}
	for rank, gpu := range m.GPUs {
		if gpu < 0 || gpu >= t.Nodes {
			return fmt.Errorf("gpus[%d] is %d, not in 0..%d", rank, gpu, t.Nodes-1)
		}
		if other, twice := rankOf[gpu]; twice {
			return fmt.Errorf("gpus[%d] is %d, as is gpus[%d]", rank, gpu, other)
		}
		rankOf[gpu] = rank
	}
	for rank, chunks := range m.Scratch {
		if chunks < 0 {
			return fmt.Errorf("scratch_chunks[%d] is %d, not 0 or more", rank, chunks)
		}
	}
	return m.timed(t)
}

// lays compares the manifest with the buffer layout of its programs.
func (m *Manifest) lays(l program.BufferMap) error {
	place := map[bool]string{false: "out of place", true: "in place"}
	switch {
	case m.Collective != string(l.Op):
		return fmt.Errorf("collective is %q, but its programs are for %s", m.Collective, l.Op)
	case m.Ranks != l.Nodes:
		return fmt.Errorf("ranks is %d, but its programs are for %d", m.Ranks, l.Nodes)
	case m.Chunks != l.Chunks:
		return fmt.Errorf("chunks is %d, but its programs cut buffers into %d", m.Chunks, l.Chunks)
	case m.InPlace != l.InPlace:
		return fmt.Errorf("in_place is %v, but its programs are %s", m.InPlace, place[l.InPlace])
	}
	return nil
}

// sameTime is how far two times may differ that are equal except for the rounding of a sum: far
// more than that, far less than a nanosecond in an hour.
const sameTime = 1e-12

func differ(a, b units.Time) bool {
	return !(math.Abs(float64(a-b)) <= sameTime*math.Max(math.Abs(float64(a)), math.Abs(float64(b))))
}

// timed compares the stages of the manifest with those of the timetable, and its circuits with
// those that are up after the commands.
func (m *Manifest) timed(t *timetable.Table) error {
	if len(t.Stages) != len(m.Stages) {
		return fmt.Errorf("stages: %d, but the timetable has %d", len(m.Stages), len(t.Stages))
	}
	for i := range m.Stages {
		s, other := &m.Stages[i], &t.Stages[i]
		switch {
		case s.Topology != other.Topology:
			return fmt.Errorf("stage %d: topology is %q, in the timetable %q", i+1, s.Topology, other.Topology)
		case differ(s.Start, other.Barrier):
			return fmt.Errorf("stage %d: start_ns is %v, the barrier of the timetable at %v", i+1, s.Start, other.Barrier)
		case differ(s.Start+s.Reconfiguration, other.Ready):
			return fmt.Errorf("stage %d: after its reconfiguration_ns it is %v, in the timetable circuits are up by %v", i+1, s.Start+s.Reconfiguration, other.Ready)
		}
	}
	var bad error
	err := t.Follow(func(stage int, circuits map[[2]int]int) bool {
		bad = m.Stages[stage].listed(circuits, t.Nodes)
		if bad != nil {
			bad = fmt.Errorf("stage %d: circuits: %w", stage+1, bad)
		}
		return bad == nil
	})
	if err != nil {
		return fmt.Errorf("timetable %s: %w", m.Timetable, err)
	}
	return bad
}

// listed compares the circuits of a stage with those that are up.
func (s *ManifestStage) listed(circuits map[[2]int]int, nodes int) error {
	said, total := map[[2]int]bool{}, 0
	for _, c := range s.Circuits {
		pair := [2]int{c[0], c[1]}
		switch {
		case c[0] < 0 || c[0] >= nodes || c[1] < 0 || c[1] >= nodes || c[2] < 1:
			return fmt.Errorf("%v is not [from,to,count] with GPUs in 0..%d and a count of 1 or more", c, nodes-1)
		case said[pair]:
			return fmt.Errorf("those from GPU %d to GPU %d are listed twice", c[0], c[1])
		case c[2] != circuits[pair]:
			return fmt.Errorf("%d from GPU %d to GPU %d, by the timetable %d", c[2], c[0], c[1], circuits[pair])
		}
		said[pair] = true
		total += c[2]
	}
	up := 0
	for _, n := range circuits {
		up += n
	}
	if up != total {
		return fmt.Errorf("%d in all, by the timetable %d", total, up)
	}
	return nil
}
