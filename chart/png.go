package chart

import (
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// pngScale is the number of PNG pixels per CSS pixel: 192 dots per inch, sharp on today's
// screens and in print.
const pngScale = 2

// PNG writes the scene as a PNG file in light mode.
func (s *Scene) PNG(w io.Writer) error { return png.Encode(w, s.image(pngScale, false)) }

// image draws the scene.
func (s *Scene) image(scale float64, dark bool) *image.RGBA {
	c := &canvas{scale: scale, dark: dark}
	c.img = image.NewRGBA(image.Rect(0, 0, int(math.Ceil(s.Width*scale)), int(math.Ceil(s.Height*scale))))
	c.shape(Rect{W: s.Width, H: s.Height, Fill: Paper})
	for _, shape := range s.Shapes {
		c.shape(shape)
	}
	return c.img
}

// canvas draws shapes on an image.
type canvas struct {
	img   *image.RGBA
	scale float64
	dark  bool
	mask  vector.Rasterizer
}

func (c *canvas) shape(s Shape) {
	switch s := s.(type) {
	case Rect:
		corners := []Point{{s.X, s.Y}, {s.X + s.W, s.Y}, {s.X + s.W, s.Y + s.H}, {s.X, s.Y + s.H}}
		c.fill([][]Point{corners}, s.Fill)
		c.stroke(Path{Points: corners, Closed: true, Stroke: s.Stroke, Width: s.Width})
	case Circle:
		round := arc(s.X, s.Y, s.R)
		c.fill([][]Point{round}, s.Fill)
		c.stroke(Path{Points: round, Closed: true, Stroke: s.Stroke, Width: s.Width})
	case Path:
		if !s.Fill.none() {
			c.fill([][]Point{s.Points}, s.Fill)
		}
		c.stroke(s)
	case Text:
		c.text(s)
	}
}

// arc returns a circle as a polygon whose sides are too short to see.
func arc(x, y, r float64) []Point {
	sides := max(8, int(4*math.Sqrt(r*pngScale)*2))
	points := make([]Point, sides)
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(sides))
		points[i] = Point{x + r*cos, y + r*sin}
	}
	return points
}

// fill paints polygons. Polygons that overlap must have the same orientation.
func (c *canvas) fill(polygons [][]Point, paint Paint) {
	if paint.none() {
		return
	}
	least, most := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, polygon := range polygons {
		for _, p := range polygon {
			least = Point{min(least.X, p.X*c.scale), min(least.Y, p.Y*c.scale)}
			most = Point{max(most.X, p.X*c.scale), max(most.Y, p.Y*c.scale)}
		}
	}
	area := image.Rect(int(math.Floor(least.X)), int(math.Floor(least.Y)), int(math.Ceil(most.X))+1, int(math.Ceil(most.Y))+1)
	visible := area.Intersect(c.img.Bounds())
	if visible.Empty() {
		return
	}
	c.mask.Reset(visible.Dx(), visible.Dy())
	at := func(p Point) (x, y float32) {
		return float32(p.X*c.scale - float64(visible.Min.X)), float32(p.Y*c.scale - float64(visible.Min.Y))
	}
	for _, polygon := range polygons {
		if len(polygon) < 3 {
			continue
		}
		x, y := at(polygon[0])
		c.mask.MoveTo(x, y)
		for _, p := range polygon[1:] {
			x, y = at(p)
			c.mask.LineTo(x, y)
		}
		c.mask.ClosePath()
	}
	c.mask.Draw(c.img, visible, image.NewUniform(c.color(paint)), image.Point{})
}

func (c *canvas) color(p Paint) color.Color {
	rgb := p.in(c.dark)
	return color.NRGBA{rgb.R, rgb.G, rgb.B, uint8(math.Round(255 * p.opacity()))}
}

// stroke paints a line as rectangles with round ends and corners.
func (c *canvas) stroke(p Path) {
	if p.Stroke.none() || p.Width <= 0 || len(p.Points) < 2 {
		return
	}
	points := p.Points
	if p.Closed {
		points = append(append([]Point(nil), points...), points[0])
	}
	var pieces [][]Point
	for _, part := range dashes(points, p.Dash) {
		for i, a := range part {
			if p.Width*c.scale > 1.5 && (!p.Closed && (i == 0 || i+1 == len(part)) || turns(part, i)) {
				pieces = append(pieces, arc(a.X, a.Y, p.Width/2))
			}
			if i+1 == len(part) {
				break
			}
			b := part[i+1]
			length := math.Hypot(b.X-a.X, b.Y-a.Y)
			if length == 0 {
				continue
			}
			nx, ny := (a.Y-b.Y)/length*p.Width/2, (b.X-a.X)/length*p.Width/2
			pieces = append(pieces, []Point{{a.X - nx, a.Y - ny}, {b.X - nx, b.Y - ny}, {b.X + nx, b.Y + ny}, {a.X + nx, a.Y + ny}})
		}
	}
	c.fill(pieces, p.Stroke)
}

// turns reports whether a line bends at a point enough to show a gap.
func turns(points []Point, i int) bool {
	if i == 0 || i+1 == len(points) {
		n := len(points)
		return n > 2 && points[0] == points[n-1] && bends(points[n-2], points[0], points[1])
	}
	return bends(points[i-1], points[i], points[i+1])
}

// bends reports whether the direction changes by more than 20 degrees.
func bends(a, b, c Point) bool {
	ux, uy, vx, vy := b.X-a.X, b.Y-a.Y, c.X-b.X, c.Y-b.Y
	return ux*vx+uy*vy < math.Cos(math.Pi/9)*math.Hypot(ux, uy)*math.Hypot(vx, vy)
}

// dashes divides a line into the parts that are drawn.
func dashes(points []Point, dash []float64) [][]Point {
	if period := arithmetic.Sum(dash); period <= 0 {
		return [][]Point{points}
	}
	var parts [][]Point
	current := []Point{points[0]}
	k, left := 0, dash[0]
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		for {
			length := math.Hypot(b.X-a.X, b.Y-a.Y)
			if length <= left {
				left -= length
				current = append(current, b)
				break
			}
			t := left / length
			a = Point{a.X + t*(b.X-a.X), a.Y + t*(b.Y-a.Y)}
			current = append(current, a)
			if k%2 == 0 {
				parts = append(parts, current)
			}
			current = []Point{a}
			k++
			left = dash[k%len(dash)]
		}
	}
	if k%2 == 0 && len(current) > 1 {
		parts = append(parts, current)
	}
	return parts
}

// curveParts is the number of straight lines for a curve of a glyph.
const curveParts = 4

// text fills the outlines of the glyphs.
func (c *canvas) text(t Text) {
	width := textWidth(t.Text, t.Size, t.Bold)
	start := [...]float64{0, -width / 2, -width}[t.Anchor]
	scale := t.Size / emUnits / 64
	var outlines [][]Point
	glyphs(t.Text, t.Size, t.Bold, func(f *sfnt.Font, buf *sfnt.Buffer, g sfnt.GlyphIndex, pen float64) {
		segments, err := f.LoadGlyph(buf, g, fixed.I(emUnits), nil)
		if err != nil {
			return
		}
		at := func(p fixed.Point26_6) Point {
			x, y := start+pen+float64(p.X)*scale, float64(p.Y)*scale
			if t.Up {
				x, y = y, -x
			}
			return Point{t.X + x, t.Y + y}
		}
		var outline []Point
		for _, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if len(outline) > 0 {
					outlines = append(outlines, outline)
				}
				outline = []Point{at(s.Args[0])}
			case sfnt.SegmentOpLineTo:
				outline = append(outline, at(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				a, b, end := outline[len(outline)-1], at(s.Args[0]), at(s.Args[1])
				for i := 1; i <= curveParts; i++ {
					u := float64(i) / curveParts
					v := 1 - u
					outline = append(outline, Point{v*v*a.X + 2*u*v*b.X + u*u*end.X, v*v*a.Y + 2*u*v*b.Y + u*u*end.Y})
				}
			case sfnt.SegmentOpCubeTo: // TrueType fonts have none
				outline = append(outline, at(s.Args[2]))
			}
		}
		if len(outline) > 0 {
			outlines = append(outlines, outline)
		}
	})
	c.fill(outlines, t.Fill)
}
