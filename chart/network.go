package chart

import (
	"cmp"
	"fmt"
	"math"
)

// Network is a drawing of nodes and the links between them.
type Network struct {
	Caption
	Nodes  int
	Links  []Link
	Layout Layout
	Rows   int    // of LayoutGrid
	Load   string // what loads mean; "": links have none
	Unit   Unit   // of loads
}

// Link joins two nodes; it is one-way unless the opposite link exists, too.
type Link struct {
	From, To int
	Count    int // of parallel links
	Load     float64
}

// Layout says where nodes are drawn.
type Layout int

// The layouts.
const (
	LayoutCircle Layout = iota
	LayoutGrid          // rows of equal length
	LayoutForce         // neighbours close together
)

const networkSize = 520

// Scene draws the network. A link is wider and darker the more it is loaded.
func (n *Network) Scene() (*Scene, error) {
	if n.Nodes < 1 || n.Layout == LayoutGrid && (n.Rows < 1 || n.Nodes%n.Rows != 0) {
		return nil, fmt.Errorf("a network of %d nodes in %d rows", n.Nodes, n.Rows)
	}
	for _, l := range n.Links {
		if l.From < 0 || l.To < 0 || l.From >= n.Nodes || l.To >= n.Nodes {
			return nil, fmt.Errorf("link %d-%d in a network of %d nodes", l.From, l.To, n.Nodes)
		}
	}
	s := &Scene{Width: networkSize + 2*margin}
	top := n.header(s)
	places, height := n.places()
	for i := range places {
		places[i].X += margin
		places[i].Y += top
	}
	n.drawLinks(s, places)
	n.drawNodes(s, places)
	below := top + height + 8
	if n.Load != "" {
		below = n.key(s, below)
	}
	n.footer(s, below)
	return s, nil
}

// places returns the places of the nodes, and the height of the drawing.
func (n *Network) places() ([]Point, float64) {
	switch n.Layout {
	case LayoutGrid:
		return gridPlaces(n.Nodes, n.Rows)
	case LayoutForce:
		return forcePlaces(n.Nodes, n.Links), networkSize
	}
	return circlePlaces(n.Nodes), networkSize
}

func circlePlaces(n int) []Point {
	places := make([]Point, n)
	for i := range places {
		sin, cos := math.Sincos(2*math.Pi*float64(i)/float64(n) - math.Pi/2)
		places[i] = Point{networkSize/2 + 0.45*networkSize*cos, networkSize/2 + 0.45*networkSize*sin}
	}
	return places
}

func gridPlaces(n, rows int) ([]Point, float64) {
	columns := n / rows
	step := min(networkSize/float64(columns+1), networkSize/float64(rows+1), 90)
	left := (networkSize - step*float64(columns-1)) / 2
	places := make([]Point, n)
	for i := range places {
		places[i] = Point{left + step*float64(i%columns), step * (float64(i/columns) + 0.8)}
	}
	return places, step * (float64(rows) + 0.6)
}

// nodeRadius returns a radius that shrinks as the number of nodes grows.
func (n *Network) nodeRadius() float64 { return min(max(220/float64(n.Nodes), 2.5), 13) }

func (n *Network) drawNodes(s *Scene, places []Point) {
	r := n.nodeRadius()
	for i, p := range places {
		s.Add(Circle{X: p.X, Y: p.Y, R: r, Fill: Paper, Stroke: Ink, Width: 1.3, Tip: fmt.Sprintf("GPU %d", i)})
		switch {
		case r >= 9:
			s.Add(Text{X: p.X, Y: p.Y + 4, Text: fmt.Sprint(i), Size: tickSize, Anchor: Middle, Fill: Ink})
		case n.Layout == LayoutCircle && n.Nodes <= 64: // outside the circle
			dx, dy := p.X-margin-networkSize/2, 0.0
			centre := (places[0].Y + places[n.Nodes/2].Y) / 2
			dy = p.Y - centre
			length := math.Hypot(dx, dy)
			s.Add(Text{X: p.X + dx/length*13, Y: p.Y + dy/length*13 + 3, Text: fmt.Sprint(i), Size: 9, Anchor: Middle, Fill: Muted})
		}
	}
}

// drawLinks draws the links with the least load first, so that loaded ones are on top.
func (n *Network) drawLinks(s *Scene, places []Point) {
	present := make(map[[2]int]float64, len(n.Links))
	most := 0.0
	for _, l := range n.Links {
		present[[2]int{l.From, l.To}] += l.Load
		most = math.Max(most, l.Load)
	}
	for _, l := range sortedByLoad(n.Links) {
		if l.From == l.To {
			continue
		}
		back, two := present[[2]int{l.To, l.From}]
		if two && (back > l.Load || back == l.Load && l.From > l.To) {
			continue // drawn with the other direction
		}
		n.drawLink(s, places, l, two, most)
	}
}

func (n *Network) drawLink(s *Scene, places []Point, l Link, two bool, most float64) {
	paint, width := Muted.Faint(0.75), 1.1+0.5*float64(max(l.Count, 1)-1)
	tip := fmt.Sprintf("%d → %d", l.From, l.To)
	if two {
		tip = fmt.Sprintf("%d ↔ %d", l.From, l.To)
	}
	if l.Count > 1 {
		tip += fmt.Sprintf(", %d circuits", l.Count)
	}
	if n.Load != "" {
		tip += fmt.Sprintf(", %s %s", n.Load, n.Unit.Format(l.Load))
		if l.Load > 0 {
			t := l.Load / most
			paint, width = RGB(Sequential.At(0.35+0.55*t)), 1+4*t
		} else {
			paint, width = Grid, 1
		}
	}
	a, b := places[l.From], places[l.To]
	curve := n.curve(a, b)
	r := n.nodeRadius()
	curve = shorten(curve, r)
	line := curve
	if !two {
		line = shorten(curve, 4+width) // the arrow covers the rest
	}
	s.Add(Path{Points: line, Stroke: paint, Width: width, Tip: tip})
	if !two && r >= 2.5 && len(curve) > 1 {
		s.Add(arrow(curve[len(curve)-2], curve[len(curve)-1], paint, 5+1.8*width))
	}
}

// curve returns a straight line, or a bent one on a grid if a straight one would run through
// other nodes.
func (n *Network) curve(a, b Point) []Point {
	bend := 0.0
	length := math.Hypot(b.X-a.X, b.Y-a.Y)
	if n.Layout == LayoutGrid {
		columns := n.Nodes / n.Rows
		step := min(networkSize/float64(columns+1), networkSize/float64(n.Rows+1), 90)
		if length > 1.2*step && (math.Abs(a.X-b.X) < 1 || math.Abs(a.Y-b.Y) < 1) {
			bend = 0.32 * step
		}
	}
	if bend == 0 {
		return []Point{a, b}
	}
	mid := Point{(a.X+b.X)/2 + (a.Y-b.Y)/length*bend*2, (a.Y+b.Y)/2 + (b.X-a.X)/length*bend*2}
	points := make([]Point, 0, 17)
	for i := 0; i <= 16; i++ {
		u := float64(i) / 16
		v := 1 - u
		points = append(points, Point{v*v*a.X + 2*u*v*mid.X + u*u*b.X, v*v*a.Y + 2*u*v*mid.Y + u*u*b.Y})
	}
	return points
}

// shorten removes r from the end of a curve, so that an arrow ends at the node's border.
func shorten(curve []Point, r float64) []Point {
	for len(curve) >= 2 {
		a, b := curve[len(curve)-2], curve[len(curve)-1]
		length := math.Hypot(b.X-a.X, b.Y-a.Y)
		if length > r {
			t := (length - r) / length
			cut := append([]Point(nil), curve...)
			cut[len(cut)-1] = Point{a.X + t*(b.X-a.X), a.Y + t*(b.Y-a.Y)}
			return cut
		}
		r -= length
		curve = curve[:len(curve)-1]
	}
	return curve
}

func arrow(from, to Point, paint Paint, size float64) Path {
	length := math.Hypot(to.X-from.X, to.Y-from.Y)
	length = cmp.Or(length, 1)
	ux, uy := (to.X-from.X)/length, (to.Y-from.Y)/length
	base := Point{to.X - ux*size, to.Y - uy*size}
	half := size * 0.42
	return Path{Points: []Point{to, {base.X - uy*half, base.Y + ux*half}, {base.X + uy*half, base.Y - ux*half}}, Closed: true, Fill: paint}
}

// key explains colours and widths.
func (n *Network) key(s *Scene, y float64) float64 {
	most := 0.0
	for _, l := range n.Links {
		most = math.Max(most, l.Load)
	}
	x := float64(margin)
	s.Add(Text{X: x, Y: y + 12, Text: n.Load, Size: tickSize, Fill: Ink})
	x += textWidth(n.Load, tickSize, false) + 10
	for _, t := range []float64{0.25, 0.5, 1} {
		text := n.Unit.Format(t * most)
		s.Add(line(x, y+8, x+24, y+8, RGB(Sequential.At(0.35+0.55*t)), 1+4*t), Text{X: x + 30, Y: y + 12, Text: text, Size: tickSize, Fill: Ink})
		x += 44 + textWidth(text, tickSize, false)
	}
	return y + 18
}
