package chart

import (
	"fmt"
	"math"
)

// Paint is a colour: a role, whose colour depends on the page, or a fixed one. The zero value
// paints nothing. Its bytes are, from the highest: transparency (255 minus its strength), the
// role, red, green and blue.
type Paint uint64

// Color is a colour in sRGB.
type Color struct{ R, G, B uint8 }

// String writes the colour for CSS.
func (c Color) String() string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// RGB returns a paint that is the same on every page.
func RGB(c Color) Paint { return fixedRole.paint() | Paint(c.R)<<16 | Paint(c.G)<<8 | Paint(c.B) }

// Faint returns the paint at a fraction of its strength, 0..1.
func (p Paint) Faint(strength float64) Paint {
	return p&(1<<32-1) | Paint(math.Round(255*(1-min(max(strength, 0), 1))))<<32
}

func (p Paint) role() role { return role(p >> 24) }

func (p Paint) none() bool { return p.role() == noRole }

func (p Paint) opacity() float64 { return 1 - float64(p>>32)/255 }

// in returns the colour on a light or a dark page.
func (p Paint) in(dark bool) Color {
	if p.role() == fixedRole {
		return Color{uint8(p >> 16), uint8(p >> 8), uint8(p)}
	}
	return theme[p.role()][btoi(dark)]
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

type role uint8

const (
	noRole role = iota
	fixedRole
	inkRole
	mutedRole
	gridRole
	paperRole
	firstSeries
	seriesCount = 8
)

func (r role) paint() Paint { return Paint(r) << 24 }

// The paints of a page.
const (
	none  Paint = 0
	Ink         = Paint(inkRole) << 24   // text and outlines
	Muted       = Paint(mutedRole) << 24 // less important texts
	Grid        = Paint(gridRole) << 24  // guide lines
	Paper       = Paint(paperRole) << 24 // the background
)

// theme gives every role its colour on a light and on a dark page. The series started from the
// colours of Okabe and Ito (2008). They were moved until the closest two, under any of the
// simulated colour blindnesses of the tests, were as far apart as possible while every one
// contrasts with the page.
var theme = [...][2]Color{
	inkRole:         {{0x1b, 0x1f, 0x24}, {0xe8, 0xea, 0xed}},
	mutedRole:       {{0x57, 0x60, 0x6a}, {0xa3, 0xab, 0xb5}},
	gridRole:        {{0xd8, 0xdd, 0xe3}, {0x3a, 0x41, 0x4a}},
	paperRole:       {{0xff, 0xff, 0xff}, {0x15, 0x18, 0x1d}},
	firstSeries:     {{0x0c, 0x43, 0xbf}, {0x1d, 0x73, 0xf2}}, // blue
	firstSeries + 1: {{0xc4, 0x5a, 0x1c}, {0xcb, 0x4f, 0x00}}, // vermilion
	firstSeries + 2: {{0x09, 0x87, 0x81}, {0x01, 0xc2, 0x88}}, // teal
	firstSeries + 3: {{0x6e, 0x20, 0x79}, {0xb1, 0x97, 0xe9}}, // purple
	firstSeries + 4: {{0xd3, 0x90, 0x02}, {0xfb, 0xd0, 0x0e}}, // yellow
	firstSeries + 5: {{0x4b, 0xa0, 0xed}, {0xb2, 0xd5, 0xff}}, // sky
	firstSeries + 6: {{0x3b, 0x20, 0x2c}, {0xf4, 0xfc, 0xe1}}, // near black
	firstSeries + 7: {{0x97, 0x3f, 0x33}, {0x9f, 0x65, 0x96}}, // brick
}

// Series returns the colour of the i-th of several things; colours repeat after eight.
func Series(i int) Paint {
	return (firstSeries + role(((i%seriesCount)+seriesCount)%seriesCount)).paint()
}

// class returns the name of a role in a style sheet.
func (r role) class() string {
	switch r {
	case inkRole:
		return "ink"
	case mutedRole:
		return "muted"
	case gridRole:
		return "grid"
	case paperRole:
		return "paper"
	}
	return fmt.Sprintf("s%d", r-firstSeries+1)
}
