package compile

import (
	"context"
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/compile/draw"
	"github.com/lightpath-net/lightpath/plan"
)

type dotTarget struct{}

func (dotTarget) Format() Format   { return Dot }
func (dotTarget) About() string    { return "Graphviz" }
func (dotTarget) Options() Options { return &NoOptions{} }

func (dotTarget) Compile(_ context.Context, p *plan.Plan, _ Options) (*Result, error) {
	return &Result{Files: []File{{Write: func(w io.Writer) error { return draw.Dot(w, p) }}}}, nil
}

type edgesTarget struct{}

func (edgesTarget) Format() Format   { return Edges }
func (edgesTarget) About() string    { return "edge lists, CSV" }
func (edgesTarget) Options() Options { return &NoOptions{} }

func (edgesTarget) Compile(_ context.Context, p *plan.Plan, _ Options) (*Result, error) {
	r := &Result{}
	for i := range p.Stages {
		name := ""
		if len(p.Stages) > 1 {
			name = fmt.Sprintf("stage-%d.csv", i+1)
		}
		r.Files = append(r.Files, File{name, func(w io.Writer) error { return draw.Edges(w, &p.Stages[i]) }})
	}
	return r, nil
}
