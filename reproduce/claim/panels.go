package claim

import (
	"context"
	"strings"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Best returns what the best plan of all planners and algorithms takes as a function of the
// delay of a change, which the fabric leaves open. The caller gives it, as all planners
// together are above this package.
type Best func(ctx context.Context, f fabric.Fabric, op collective.Op, size units.Bytes) (func(delay units.Duration) units.Time, error)

// Panel is a figure of a paper, or a part of one, whose pictures are drawn from numbers that
// are computed once.
type Panel struct {
	ID     string // paper and figure; those of its pictures begin with it
	Source string // paper and where in it
	About  string // what is drawn, and what is not as in the paper
	Better bool   // beyond the paper: its axes with our best plan and the bound
	Full   bool   // takes long
	Draw   func(ctx context.Context, best Best) ([]Drawing, error)
}

// Drawing is a picture of a panel.
type Drawing struct {
	Part  string // of its ID, after that of the panel; "" if there is but one
	Chart Chart
}

// Chart is what package chart draws.
type Chart interface {
	Scene() (*chart.Scene, error)
}

// Picture is a figure as it is drawn from what is computed here.
type Picture struct {
	ID     string `json:"id"`
	Source string `json:"source"`
	Title  string `json:"title,omitempty"`
	About  string `json:"about,omitempty"`
	// Better says that it goes beyond the paper: its axes with our best plan and the bound.
	Better bool `json:"better,omitempty"`
	Full   bool `json:"full,omitempty"` // takes long
	// SVG is a file that needs nothing else; "" where figures are only listed.
	SVG string `json:"svg,omitempty"`
	// Scene is what SVG shows, for pages and other formats.
	Scene *chart.Scene `json:"-"`
}

// Listed is a figure without drawing it: its ID is that of all its pictures.
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
