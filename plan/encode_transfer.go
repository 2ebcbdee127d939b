package plan

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/lightpath-net/lightpath/collective"
)

// transfer writes one transfer. There are very many, so it formats them without encoding/json:
//
//	{"src":0,"dst":1,"action":"copy","chunks":[3,[4,2,1]],"bytes":64,
//	"routes":[{"share":1,"path":[0,1]}]}
//
// with "part" after the action if the transfer carries only a part, and "sides" after that if the
// target adds it to side sums.
func (e *encoder) transfer(t *Transfer, bytes float64) {
	b := append(e.scratch[:0], `{"src":`...)
	b = strconv.AppendInt(b, int64(t.Src), 10)
	b = append(b, `,"dst":`...)
	b = strconv.AppendInt(b, int64(t.Dst), 10)
	b = append(b, `,"action":`...)
	b = strconv.AppendQuote(b, string(t.Action))
	if t.Part != collective.WholePart {
		b = append(b, `,"part":`...)
		b = strconv.AppendQuote(b, string(t.Part))
	}
	if t.Sides != 0 {
		b = append(b, `,"sides":[`...)
		b = appendInts(b, slices.Collect(t.Sides.All())...)
		b = append(b, ']')
	}
	b = append(b, `,"chunks":[`...)
	for i, run := range t.Chunks {
		if i > 0 {
			b = append(b, ',')
		}
		if run.Count == 1 {
			b = strconv.AppendInt(b, int64(run.First), 10)
			continue
		}
		b = append(b, '[')
		b = appendInts(b, run.First, run.Count, run.Stride)
		b = append(b, ']')
	}
	b = append(b, `],"bytes":`...)
	b = e.float(b, bytes)
	b = append(b, `,"routes":[`...)
	for r, route := range t.Routes {
		if r > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"share":`...)
		b = e.float(b, route.Share)
		b = append(b, `,"path":[`...)
		b = appendInts(b, route.Path...)
		b = append(b, "]}"...)
	}
	b = append(b, "]}"...)
	if e.err == nil {
		_, e.err = e.w.Write(b)
	}
	e.scratch = b
}

func appendInts[T int | int32](b []byte, list ...T) []byte {
	for i, n := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return b
}

// float writes a number as encoding/json does: the shortest form that reads back the same, with
// an exponent if the number is very small or large. NaN and infinities are errors.
func (e *encoder) float(b []byte, x float64) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		if e.err == nil {
			e.err = fmt.Errorf("%v is not a number that JSON has", x)
		}
		return b
	}
	// These are the limits of plain notation, as in ECMAScript.
	const small, large = 1e-6, 1e21
	form := byte('f')
	if m := math.Abs(x); m != 0 && (m < small || m >= large) {
		form = 'e'
	}
	b = strconv.AppendFloat(b, x, form, -1, 64)
	if n := len(b); form == 'e' && n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1] // e-09 is e-9
		b = b[:n-1]
	}
	return b
}
