package torch

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/template"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/units"
)

// Module is a plan as a Python module.
type Module struct {
	*lower.Rounds
	Name   string
	Size   units.Bytes // for which it was planned
	GPUs   []int       // of the ranks; if nil, rank r is GPU r
	Stages []Stage
	Notes  []string
}

// Stage lists the circuits that must be up while a stage runs.
type Stage struct {
	Topology        string     `json:"topology"`
	Reconfiguration units.Time `json:"reconfiguration_ns"`
	Circuits        [][3]int   `json:"circuits"` // from, to, count: GPUs
}

//go:embed module.py.tmpl
var text string

var module = template.Must(template.New("module").Funcs(template.FuncMap{
	"json": func(v any) (string, error) {
		data, err := json.Marshal(v)
		return string(data), err
	},
	"bool": func(b bool) string {
		if b {
			return "True"
		}
		return "False"
	},
	"python": literal,
}).Parse(text))

// literal writes a text as Python does.
func literal(s string) string {
	quoted, _ := json.Marshal(s)
	return string(quoted)
}

// Write writes the module.
func (m *Module) Write(w io.Writer) error {
	lines := make([]string, m.Nodes)
	for rank := range lines {
		line, err := json.Marshal(m.rounds(rank))
		if err != nil {
			return err
		}
		lines[rank] = string(line)
	}
	inputs, outputs := make([]int, m.Nodes), make([]int, m.Nodes)
	for rank := range m.Nodes {
		inputs[rank], outputs[rank] = m.InputChunks(rank), m.OutputChunks(rank)
	}
	stages, err := json.MarshalIndent(m.Stages, "", " ")
	if err != nil {
		return err
	}
	out := &failing{to: w}
	err = module.Execute(out, struct {
		*Module
		Lines           []string
		Inputs, Outputs []int
		StagesJSON      string
	}{m, lines, inputs, outputs, string(stages)})
	if out.err != nil {
		return out.err
	}
	return err
}

// failing remembers the error of a writer unchanged.
type failing struct {
	to  io.Writer
	err error
}

func (f *failing) Write(data []byte) (int, error) {
	n, err := f.to.Write(data)
	f.err = err
	return n, err
}

// rounds returns what a rank does, stage by stage, as the module reads it: rounds of sends,
// receives and local operations.
func (m *Module) rounds(rank int) [][][3][]any {
	stages := make([][][3][]any, len(m.Rounds.Stages))
	for i, stage := range m.Rounds.Stages {
		stages[i] = [][3][]any{}
		for _, round := range stage {
			x := &round[rank]
			if x.Idle() {
				continue
			}
			one := [3][]any{{}, {}, {}}
			for _, s := range x.Sends {
				spans := make([]int, 0, 3*len(s.Spans))
				for _, at := range s.Spans {
					spans = append(append(spans, m.place(rank, at.Loc)...), at.Count)
				}
				one[0] = append(one[0], []any{s.Peer, spans})
			}
			for _, r := range x.Receives {
				one[1] = append(one[1], append(append([]int{r.Peer}, m.place(rank, r.Spans[0].Loc)...), r.Spans[0].Count))
			}
			for _, l := range x.Locals {
				does := append(append([]int{l.Count}, m.place(rank, l.Dst)...), m.place(rank, l.Src)...)
				if l.Adds {
					does = append(does, m.place(rank, l.With)...)
				}
				one[2] = append(one[2], does)
			}
			stages[i] = append(stages[i], one)
		}
	}
	return stages
}

// place returns a buffer's number and an offset: in place, input and output are one buffer.
func (m *Module) place(rank int, at program.Loc) []int {
	if m.InPlace && at.Buffer != program.Scratch {
		return []int{int(program.Input), m.Address(rank, at)}
	}
	return []int{int(at.Buffer), int(at.Offset)}
}

// Padded reports whether the module takes buffers of any number of elements: it can pad them if
// every element has the same place at all ranks.
func (m *Module) Padded() bool {
	return m.Op == collective.AllReduce || m.Op == collective.Broadcast || m.Op == collective.RootReduce
}

// maxHead bounds how many bytes of a module are read before its program.
const maxHead = 16 << 20

// ReadHead reads how many ranks a module is for, and its stages.
func ReadHead(r io.Reader) (ranks int, stages []Stage, err error) {
	data, err := io.ReadAll(io.LimitReader(r, maxHead))
	if err != nil {
		return 0, nil, err
	}
	head, _, _ := strings.Cut(string(data), "\n_PROGRAM = (")
	_, after, found := strings.Cut(head, "\nRANKS = ")
	number, _, _ := strings.Cut(after, "\n")
	ranks, err = strconv.Atoi(number)
	if !found || err != nil || ranks < collective.MinNodes {
		return 0, nil, errors.New("no module of a plan: it does not say RANKS")
	}
	_, after, found = strings.Cut(head, "\nSTAGES = json.loads(r\"\"\"")
	list, _, ends := strings.Cut(after, `""")`)
	if !found || !ends {
		return 0, nil, errors.New("no module of a plan: it does not say STAGES")
	}
	if err := strict.Decode(strings.NewReader(list), &stages); err != nil {
		return 0, nil, fmt.Errorf("STAGES: %w", err)
	}
	if len(stages) == 0 {
		return 0, nil, errors.New("STAGES: none")
	}
	for i, s := range stages {
		if !(s.Reconfiguration >= 0) {
			return 0, nil, fmt.Errorf("STAGES: reconfiguration_ns of stage %d is %v, not 0 or more", i+1, float64(s.Reconfiguration))
		}
	}
	return ranks, stages, nil
}
