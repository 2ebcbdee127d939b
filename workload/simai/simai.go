// Package simai reads the text of workloads that SimAI and AICB write
// (github.com/aliyun/SimAI). It is ASTRA-sim's first format with groups for experts: a heading
// with the degrees of parallelism; the number of rows; and for every row of a rank's program
// what its forward pass, the gradient of its input and the gradient of its weights compute and
// send.
//
//	HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 all_gpus: 32 ..
//	2
//	name  -1  forward  ALLREDUCE size  input  NONE size  weights  ALLREDUCE size  update
//
// Times are nanoseconds. The forward pass goes through the rows: each computes and then waits for
// its collective. The backward pass goes back and computes two kinds of gradients: of weights,
// whose collectives only the update waits for, and of inputs, whose collectives the pass waits
// for. All ranks do the same. Sends between pipeline stages are not in such a file.
package simai

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// heading has the degrees of parallelism.
type heading struct {
	tp, ep, pp, ranks int
	microbatches      int // ga: number of accumulated gradients
}

// row is one row: three passes, each with a time and a collective.
type row struct {
	name                    string
	forward, input, weights pass
	update                  units.Duration
}

// pass is a computation and the collective after it; kind is empty if there is none.
type pass struct {
	takes units.Duration
	op    collective.Op
	kind  string
	size  units.Bytes
}

// maxRows limits the rows of a file.
const maxRows = 1 << 20

// errEnd says that a file ends too early.
var errEnd = errors.New("the file ends here")

// Read reads a workload. Errors name the line.
func Read(r io.Reader) (*workload.Workload, error) {
	in := bufio.NewScanner(units.SkipMark(r))
	in.Buffer(nil, 1<<20)
	line := 0
	next := func() ([]string, error) {
		for in.Scan() {
			if line++; strings.TrimSpace(in.Text()) != "" {
				return strings.Fields(in.Text()), nil
			}
		}
		return nil, cmp.Or(in.Err(), errEnd)
	}
	at := func(err error) error { return fmt.Errorf("line %d: %w", max(1, line), err) }
	words, err := next()
	if err != nil {
		return nil, at(fmt.Errorf("want a heading of SimAI: %w", err))
	}
	head, err := readHeading(words)
	if err != nil {
		return nil, at(err)
	}
	if words, err = next(); err != nil {
		return nil, at(fmt.Errorf("want the number of rows: %w", err))
	}
	count, err := strconv.Atoi(words[0])
	if err != nil || len(words) != 1 || count < 1 || count > maxRows {
		return nil, at(fmt.Errorf("%.40q; want the number of rows, 1 to %d", strings.Join(words, " "), maxRows))
	}
	var rows []row
	for range count {
		if words, err = next(); err != nil {
			return nil, at(fmt.Errorf("row %d of %d: %w", len(rows)+1, count, err))
		}
		one, err := head.row(words)
		if err != nil {
			return nil, at(err)
		}
		rows = append(rows, one)
	}
	if words, err = next(); err == nil {
		return nil, at(fmt.Errorf("%.40q: more than %d rows", strings.Join(words, " "), count))
	}
	w := head.workload(rows)
	return w, w.Validate()
}

// ReadFile reads a workload from a file. Errors begin with its name.
func ReadFile(name string) (*workload.Workload, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	w.Name = strings.TrimSuffix(name[strings.LastIndexAny(name, `/\`)+1:], ".txt")
	return w, nil
}

// readHeading reads the degrees of parallelism. It ignores unknown words, except for
// checkpoints, which change what the backward pass does.
func readHeading(words []string) (heading, error) {
	h := heading{tp: 1, ep: 1, pp: 1, microbatches: 1}
	if words[0] != "HYBRID_TRANSFORMER" && words[0] != "HYBRID_TRANSFORMER_FWD_IN_BCKWD" {
		return h, fmt.Errorf("%.40q; want HYBRID_TRANSFORMER or HYBRID_TRANSFORMER_FWD_IN_BCKWD", words[0])
	}
	checkpoints := 0
	known := map[string]*int{"model_parallel_NPU_group": &h.tp, "ep": &h.ep, "pp": &h.pp, "all_gpus": &h.ranks, "ga": &h.microbatches, "checkpoints": &checkpoints}
	for i := 1; i+1 < len(words); i++ {
		into := known[strings.TrimSuffix(words[i], ":")]
		if into == nil {
			continue
		}
		n, err := strconv.Atoi(words[i+1])
		if err != nil || n < 0 || n > workload.MaxRanks {
			return h, fmt.Errorf("%s %.20q; want a number", words[i], words[i+1])
		}
		*into = n
	}
	switch {
	case checkpoints > 0:
		return h, fmt.Errorf("checkpoints: %d; only 0 can be read", checkpoints)
	case h.tp < 1 || h.ep < 1 || h.pp < 1 || h.ranks < 1:
		return h, fmt.Errorf("model_parallel_NPU_group %d, ep %d, pp %d, all_gpus %d; want 1 or more", h.tp, h.ep, h.pp, h.ranks)
	case h.ranks%(h.tp*h.pp) != 0 || h.ranks/(h.tp*h.pp)%h.ep != 0:
		return h, fmt.Errorf("all_gpus %d is not a multiple of tensor %d x pipeline %d x expert %d", h.ranks, h.tp, h.pp, h.ep)
	}
	return h, nil
}

// row reads a row: name, dependency, three times a time, a collective and a size, and the
// update. Some tools add a column.
func (h *heading) row(words []string) (row, error) {
	const columns = 12
	if len(words) < columns || len(words) > columns+1 {
		return row{}, fmt.Errorf("%d columns; want name, dependency, three passes of time, collective and size, and update", len(words))
	}
	r := row{name: words[0]}
	for i, p := range []*pass{&r.forward, &r.input, &r.weights} {
		if err := h.pass(p, words[2+3*i:5+3*i], p == &r.weights); err != nil {
			return r, err
		}
	}
	var err error
	r.update, err = parseTime(words[columns-1])
	return r, err
}

func parseTime(text string) (units.Duration, error) {
	d, err := units.ParseDuration(text + "ns")
	if err != nil || d < 0 {
		return 0, fmt.Errorf("time %.20q; want nanoseconds", text)
	}
	return d, nil
}

// ops are the collectives by name.
var ops = map[string]collective.Op{
	"ALLREDUCE": collective.AllReduce, "ALLGATHER": collective.AllGather, "REDUCESCATTER": collective.ReduceScatter, "ALLTOALL": collective.AllToAll,
}

// pass reads one pass. The end of a collective's name gives its group: experts, or ranks with
// the same experts. Without such an end it is the tensor-parallel group or, for gradients of
// weights, the data-parallel one.
func (h *heading) pass(p *pass, words []string, weights bool) (err error) {
	if p.takes, err = parseTime(words[0]); err != nil {
		return err
	}
	name, kind := words[1], "tp"
	if weights {
		kind = "dp"
	}
	if base, ok := strings.CutSuffix(name, "_DP_EP"); ok {
		name, kind = base, "edp"
	} else if base, ok := strings.CutSuffix(name, "_EP"); ok {
		name, kind = base, "ep"
	}
	if name == "NONE" {
		return nil
	}
	p.op = ops[name]
	if p.op == "" {
		return fmt.Errorf("collective %.40q; want NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL, with or without _EP or _DP_EP", words[1])
	}
	size, err := strconv.ParseFloat(words[2], 64) // some tools write fractions
	if err != nil || !(size >= 0) || size > 1<<60 {
		return fmt.Errorf("size %.20q; want bytes", words[2])
	}
	p.size = units.Bytes(size)
	if p.size > 0 && h.members(kind) > 1 {
		p.kind = kind
	}
	return nil
}

// members returns the size of a kind's groups.
func (h *heading) members(kind string) int {
	data := h.ranks / h.tp / h.pp
	return map[string]int{"tp": h.tp, "dp": data, "ep": h.ep, "edp": data / h.ep}[kind]
}

// groups divides the ranks: neighbours share matrices, then come experts, then data, then
// stages.
func (h *heading) groups(kind string) [][]int {
	size := h.members(kind)
	stride := map[string]int{"tp": 1, "dp": h.tp, "ep": h.tp, "edp": h.tp * h.ep}[kind]
	var all [][]int
	for r := range h.ranks {
		if r/stride%size != 0 {
			continue
		}
		g := make([]int, size)
		for k := range g {
			g[k] = r + k*stride
		}
		all = append(all, g)
	}
	return all
}

// workload makes the program of all ranks.
func (h *heading) workload(rows []row) *workload.Workload {
	w := &workload.Workload{Schema: workload.Schema, Ranks: h.ranks, Kinds: map[string][][]int{}, About: []string{fmt.Sprintf("SimAI, %d rows", len(rows))}}
	if h.pp > 1 {
		w.About = append(w.About, fmt.Sprintf("all %d pipeline stages do these rows; what they send one another is not in the file", h.pp))
	}
	if h.microbatches > 1 {
		w.About = append(w.About, fmt.Sprintf("ga: %d is not applied: the rows are done once, as the file lists them", h.microbatches))
	}
	var list []workload.Op
	last := "" // what the pass waits for
	add := func(id string, p *pass, waits bool) {
		if p.takes > 0 {
			list = append(list, workload.Op{ID: id, Compute: &p.takes, After: names(last)})
			last = id
		}
		if p.kind == "" {
			return
		}
		if w.Kinds[p.kind] == nil {
			w.Kinds[p.kind] = h.groups(p.kind)
		}
		list = append(list, workload.Op{ID: id + ".sum", Op: p.op, Kind: p.kind, Size: p.size, After: names(last)})
		if waits {
			last = id + ".sum"
		}
	}
	id := func(pass string, i int) string {
		return fmt.Sprintf("%s%d.%s", pass, i, strings.ReplaceAll(strings.ToValidUTF8(rows[i].name, "."), "/", ":"))
	}
	for i := range rows {
		add(id("f", i), &rows[i].forward, true)
	}
	for i := len(rows) - 1; i >= 0; i-- {
		add(id("w", i), &rows[i].weights, false)
		add(id("i", i), &rows[i].input, true)
	}
	for i := range rows {
		if r := &rows[i]; r.update > 0 {
			after := names(last)
			if r.weights.kind != "" {
				after = append(after, id("w", i)+".sum")
			}
			list = append(list, workload.Op{ID: id("u", i), Compute: &r.update, After: after})
		}
	}
	ranks := arithmetic.UpTo(h.ranks)
	w.Programs = []workload.Program{{Ranks: workload.NewRankSet(ranks), Ops: list}}
	return w
}

// names returns a list with a name, or an empty one.
func names(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}
