package chart

import "math"

// Scene is a picture: shapes in the order in which they are drawn, on a canvas whose
// units are CSS pixels (1/96 inch). X grows to the right and y downwards.
type Scene struct {
	Width, Height float64
	Title         string // describes the picture for readers who cannot see it
	Shapes        []Shape
}

// Shape is a Rect, Path, Circle or Text.
type Shape interface{ moved(dx, dy float64) Shape }

// Point is a place on the canvas.
type Point struct{ X, Y float64 }

// Rect is a rectangle with its sides along the axes.
type Rect struct {
	X, Y, W, H float64
	Fill       Paint
	Stroke     Paint
	Width      float64 // of the stroke; 0: none
	Tip        string  // shown on hover
}

// Path is a line through points, or the polygon with these corners.
type Path struct {
	Points []Point
	Closed bool
	Fill   Paint
	Stroke Paint
	Width  float64
	Dash   []float64 // alternating lengths, drawn and left out
	Tip    string
}

// Circle is a filled circle.
type Circle struct {
	X, Y, R float64
	Fill    Paint
	Stroke  Paint
	Width   float64
	Tip     string
}

// Anchor says which part of a text is at its position.
type Anchor int

// The anchors.
const (
	Start Anchor = iota
	Middle
	End
)

// Text is one line of text. Y is its baseline.
type Text struct {
	X, Y   float64
	Text   string
	Size   float64
	Anchor Anchor
	Bold   bool
	Up     bool // read from bottom to top
	Fill   Paint
}

// Add appends shapes.
func (s *Scene) Add(shapes ...Shape) { s.Shapes = append(s.Shapes, shapes...) }

// Place adds the shapes of another scene, with its corner at (x, y).
func (s *Scene) Place(other *Scene, x, y float64) {
	for _, shape := range other.Shapes {
		s.Shapes = append(s.Shapes, shape.moved(x, y))
	}
}

func (r Rect) moved(dx, dy float64) Shape { r.X += dx; r.Y += dy; return r }

func (p Path) moved(dx, dy float64) Shape {
	points := make([]Point, len(p.Points))
	for i, q := range p.Points {
		points[i] = Point{q.X + dx, q.Y + dy}
	}
	p.Points = points
	return p
}

func (c Circle) moved(dx, dy float64) Shape { c.X += dx; c.Y += dy; return c }

func (t Text) moved(dx, dy float64) Shape { t.X += dx; t.Y += dy; return t }

// line returns a stroke from one point to another.
func line(x1, y1, x2, y2 float64, stroke Paint, width float64) Path {
	return Path{Points: []Point{{x1, y1}, {x2, y2}}, Stroke: stroke, Width: width}
}

// panelGap is the space between the pictures of a grid.
const panelGap = 18

// Panels arranges scenes in rows of the given length under a common title.
func Panels(title string, columns int, scenes ...*Scene) *Scene {
	all := &Scene{Title: title}
	columns = max(1, min(columns, len(scenes)))
	widths := make([]float64, columns)
	for i, s := range scenes {
		widths[i%columns] = math.Max(widths[i%columns], s.Width)
	}
	y := 0.0
	if title != "" {
		y = 40
		all.Add(Text{X: 16, Y: 27, Text: title, Size: 17, Bold: true, Fill: Ink})
		all.Width = 32 + textWidth(title, 17, true)
	}
	for from := 0; from < len(scenes); from += columns {
		x, height := 0.0, 0.0
		for i, s := range scenes[from:min(from+columns, len(scenes))] {
			all.Place(s, x, y)
			x += widths[i] + panelGap
			height = math.Max(height, s.Height)
		}
		all.Width = math.Max(all.Width, x-panelGap)
		y += height + panelGap
	}
	all.Height = y - panelGap
	return all
}
