package compile

import (
	"context"
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/compile/draw"
	"github.com/lightpath-net/lightpath/plan"
)

var dotTarget = target[NoOptions, *NoOptions]{Dot, "Graphviz", Circuits, compileDot}

func compileDot(_ context.Context, p *plan.Plan, _ *NoOptions) (*Result, error) {
	return &Result{Files: []File{{Write: func(w io.Writer) error { return draw.Dot(w, p) }}}}, nil
}

var edgesTarget = target[NoOptions, *NoOptions]{Edges, "edge lists, CSV", Circuits, compileEdges}

func compileEdges(_ context.Context, p *plan.Plan, _ *NoOptions) (*Result, error) {
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
