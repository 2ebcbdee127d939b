package chakra

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// numbers are the numbers of collectives in Chakra's schema.
var numbers = func() map[collective.Op]int64 {
	made := map[collective.Op]int64{}
	for code := range int64(8) {
		made[codes[code]] = code
	}
	return made
}()

// File is one of the files of a workload.
type File struct {
	Suffix string // of its name, after the common prefix
	Write  func(ctx context.Context, w io.Writer) error
}

// exporter makes the traces of a workload.
type exporter struct {
	*workload.Graph
	group map[string][]int // by kind and rank: the number of the group, 0 for none
	lists [][]int          // groups by their number minus 1
}

// Files returns the traces of a workload, one for each rank, and the file of groups, for
// ASTRA-sim. Durations there are integer microseconds; the exact durations, and the names of
// kinds, are in attributes of this package, which other tools ignore. Collectives of a group of
// one rank become computations that take no time.
func Files(g *workload.Graph) []File {
	x := &exporter{Graph: g, group: map[string][]int{}}
	for _, kind := range g.Workload.KindNames() {
		x.group[kind] = make([]int, g.Workload.Ranks)
		for _, ranks := range g.Workload.Kinds[kind] {
			if len(ranks) < 2 {
				continue
			}
			x.lists = append(x.lists, ranks)
			for _, r := range ranks {
				x.group[kind][r] = len(x.lists)
			}
		}
	}
	files := []File{{".comm_group.json", x.writeGroups}}
	for r := range g.Workload.Ranks {
		files = append(files, File{fmt.Sprintf(".%d.et", r), func(ctx context.Context, w io.Writer) error { return x.write(ctx, w, r) }})
	}
	return files
}

func (x *exporter) writeGroups(_ context.Context, w io.Writer) error { return WriteGroups(w, x.lists) }

// WriteGroups writes the file of groups, numbered from 1.
func WriteGroups(w io.Writer, lists [][]int) error {
	text := []byte("{")
	for i, ranks := range lists {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, '\n')
		text = strconv.AppendQuote(text, strconv.Itoa(i+1))
		text = append(text, ": ["...)
		for k, r := range ranks {
			if k > 0 {
				text = append(text, ", "...)
			}
			text = strconv.AppendInt(text, int64(r), 10)
		}
		text = append(text, ']')
	}
	_, err := w.Write(append(text, "\n}\n"...))
	return err
}

func (x *exporter) write(ctx context.Context, w io.Writer, rank int) error {
	out, err := NewWriter(w)
	if err != nil {
		return err
	}
	class := &x.Classes[x.Of[rank]]
	last := -1 // the previous computation
	for i := range class.Tasks {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t := &class.Tasks[i]
		n := &Node{ID: uint64(i), Name: t.ID, Attrs: []Attr{Bool("is_cpu_op", false)}}
		for _, a := range t.After {
			n.Deps = append(n.Deps, uint64(a))
		}
		switch t.Type {
		case workload.Computation:
			compute(n, *t.Op.Compute)
			if last >= 0 {
				n.Ctrl = []uint64{uint64(last)}
			}
			last = i
		case workload.Collective:
			x.collective(n, t, rank)
		case workload.Send:
			n.Type = CommSend
			x.message(n, t, [2]int{rank, t.Op.SendTo.Of(rank)}, i, t.Op.Size)
		case workload.Receive:
			from := t.Op.From.Of(rank)
			sender := &x.Classes[x.Of[from]]
			tag := sender.Sent(t.Op.Receive)
			n.Type = CommRecv
			x.message(n, t, [2]int{from, rank}, tag, sender.Tasks[tag].Op.Size)
		case workload.Call:
		}
		if err := out.Node(n); err != nil {
			return err
		}
	}
	if len(class.Tasks) == 0 { // a trace has at least one node
		if err := out.Node(&Node{Name: "idle", Type: Comp, Attrs: []Attr{Bool("is_cpu_op", false)}}); err != nil {
			return err
		}
	}
	return out.Close()
}

// compute writes a time in integer microseconds, and exactly.
func compute(n *Node, d units.Duration) {
	n.Type = Comp
	if d > 0 {
		n.Micros = max(1, uint64(math.Round(float64(d)/float64(units.Microsecond))))
	}
	if units.Duration(n.Micros)*units.Microsecond != d {
		n.Attrs = append(n.Attrs, Picoseconds(d))
	}
}

// Picoseconds returns the exact time of a computation.
func Picoseconds(d units.Duration) Attr { return Int(attrPicoseconds, int64(d)) }

// InGroup returns the number of the group of a collective.
func InGroup(number int) Attr { return Text("pg_name", strconv.Itoa(number)) }

// Size returns the size of a message, for traces that give its time on another link instead.
func Size(bytes units.Bytes) Attr { return Int(attrSize, int64(bytes)) }

// Change marks a change of circuits, which is not part of a workload.
func Change() Attr { return Bool(attrChange, true) }

// Kind returns the name of a kind of group.
func Kind(name string) Attr { return Text(attrKind, name) }

// Collect writes what a collective of a group does: the size in a trace is what a rank
// contributes.
func (n *Node) Collect(o *workload.Op, code int64, ranks int) {
	n.Type = Collective
	size := o.Size
	if o.Op == collective.AllGather || o.Op == collective.Gather {
		if size = arithmetic.CeilDiv(o.Size, units.Bytes(ranks)); size*units.Bytes(ranks) != o.Size {
			n.Attrs = append(n.Attrs, Int(attrSize, int64(o.Size)))
		}
	}
	n.Attrs = append(n.Attrs, Int("comm_type", code), Int("comm_size", int64(size)), Kind(o.Kind))
	if o.Skew != "" {
		n.Attrs = append(n.Attrs, Text(attrSkew, o.Skew))
	}
}

// collective writes the size that a rank contributes.
func (x *exporter) collective(n *Node, t *workload.Task, rank int) {
	number := x.group[t.Op.Kind][rank]
	if number == 0 {
		n.Type = Comp
		return
	}
	n.Collect(t.Op, numbers[t.Op.Op], len(x.lists[number-1]))
	n.Attrs = append(n.Attrs, InGroup(number))
}

// message writes a send or a receive between two ranks.
func (x *exporter) message(n *Node, t *workload.Task, ends [2]int, tag int, size units.Bytes) {
	n.Attrs = append(n.Attrs, Int("comm_src", int64(ends[0])), Int("comm_dst", int64(ends[1])), Int("comm_tag", int64(tag)), Int("comm_size", int64(size)))
	if t.Op.Kind != "" {
		n.Attrs = append(n.Attrs, Text(attrGroup, strconv.Itoa(x.group[t.Op.Kind][ends[0]])), Kind(t.Op.Kind))
	}
}
