package claim

import (
	"context"
	"strings"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Best returns the time of the best plan of all planners and algorithms as a function of the
// reconfiguration delay; the fabric's own delay does not count. The caller provides it, because
// this package must not depend on all planners.
type Best func(ctx context.Context, f fabric.Fabric, op collective.Op, size units.Bytes) (func(delay units.Duration) units.Time, error)

// Panel is a figure of a paper, or a part of one, whose pictures are drawn from numbers computed
// once.
type Panel struct {
	ID     string // paper and figure; the IDs of its pictures begin with it
	Source string // paper and where in it
	About  string // what is drawn, and what differs from the paper
	Better bool   // beyond the paper: its axes with our best plan and the bound
	Full   bool   // takes long
	Draw   func(ctx context.Context, best Best) ([]Drawing, error)
}

// Drawing is a picture of a panel.
type Drawing struct {
	Part  string // end of its ID, after the panel's; "" if it is the only one
	Chart Chart
}

// Chart is a chart that package chart draws.
type Chart interface {
	Scene() (*chart.Scene, error)
}

// Picture is a figure drawn from our numbers.
type Picture struct {
	ID     string `json:"id"`
	Source string `json:"source"`
	Title  string `json:"title,omitempty"`
	About  string `json:"about,omitempty"`
	// Better says that the picture goes beyond the paper: its axes with our best plan and the
	// bound.
	Better bool `json:"better,omitempty"`
	Full   bool `json:"full,omitempty"` // takes long
	// SVG is a self-contained file; "" if figures are only listed.
	SVG string `json:"svg,omitempty"`
	// Scene is the content of SVG, for pages and other formats.
	Scene *chart.Scene `json:"-"`
}

// Listed returns a figure without drawing it, under the common ID of its pictures.
func (p *Panel) Listed() Picture {
	return Picture{ID: p.ID, Source: p.Source, About: p.About, Better: p.Better, Full: p.Full}
}

// Pictures draws the panel.
func (p *Panel) Pictures(ctx context.Context, best Best) ([]Picture, error) {
	drawings, err := p.Draw(ctx, best)
	if err != nil {
		return nil, err
	}
	var pictures []Picture
	for _, d := range drawings {
		scene, err := d.Chart.Scene()
		if err != nil {
			return nil, err
		}
		var svg strings.Builder
		if err := scene.SVG(&svg); err != nil {
			return nil, err
		}
		picture := p.Listed()
		if d.Part != "" {
			picture.ID += "/" + d.Part
		}
		picture.Title, picture.SVG, picture.Scene = scene.Title, svg.String(), scene
		pictures = append(pictures, picture)
	}
	return pictures, nil
}
