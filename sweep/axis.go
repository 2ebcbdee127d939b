package sweep

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Axis is a parameter and its values, in the form of flags.
type Axis struct {
	Name   string   `json:"name"` // a setting of the fabric, or op, size, algorithm or planner
	Values []string `json:"values"`
}

// The axes that are not settings of a fabric.
const (
	AxisOp        = "op"
	AxisAlgorithm = "algorithm"
	AxisPlanner   = "planner"
	AxisSize      = "size"
	AxisReconfig  = "reconfig" // a setting; it changes fastest
)

// quantity says how the values of an axis are read.
type quantity int

const (
	wordValue quantity = iota
	countValue
	bytesValue
	rateValue
	timeValue
)

// quantityOf returns the quantity of an axis.
func quantityOf(name string) quantity {
	switch name {
	case AxisSize:
		return bytesValue
	case "nodes", "ports":
		return countValue
	case "bandwidth":
		return rateValue
	case "alpha", "delta", "sync", AxisReconfig:
		return timeValue
	}
	return wordValue
}

// Names lists the axes in the order of cells: the last axis changes fastest.
func Names() []string {
	names := []string{AxisOp}
	for _, s := range fabric.Settings() {
		if s.Name != AxisReconfig {
			names = append(names, s.Name)
		}
	}
	return append(names, AxisAlgorithm, AxisPlanner, AxisSize, AxisReconfig)
}

// rangeSyntax explains what ParseAxis reads.
const rangeSyntax = "write a value, a list A,B,C, or a range A..B, A..B/POINTS (equal factors) or A..B+STEP"

// ParseAxis reads the values of an axis: one, several with commas, or a range. "A..B" goes from
// A to B by equal factors: by 2 for sizes, rates and nodes, three a decade for times, and ports
// one by one; "A..B/K" in K points, "A..B+STEP" in equal steps. points, if not 0, is K if the
// range does not give it.
func ParseAxis(name, text string, points int) (Axis, error) {
	a := Axis{Name: name}
	if !slices.Contains(Names(), name) {
		return a, fmt.Errorf("%s: there is no such parameter", name)
	}
	for _, part := range splitList(text) {
		values, err := parseValues(quantityOf(name), name, part, points)
		if err != nil {
			return a, err
		}
		a.Values = append(a.Values, values...)
	}
	seen := make(map[string]bool, len(a.Values))
	for _, v := range a.Values {
		if seen[v] {
			return a, fmt.Errorf("%s is listed twice", v)
		}
		seen[v] = true
	}
	return a, nil
}

// splitList splits at commas that are not within parentheses: Torus(8,8) is one word.
func splitList(text string) []string {
	var parts []string
	depth, from := 0, 0
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth == 0:
			parts = append(parts, text[from:i])
			from = i + 1
		}
	}
	return append(parts, text[from:])
}

// parseValues reads a value or a range.
func parseValues(q quantity, name, text string, points int) ([]string, error) {
	low, high, isRange := strings.Cut(text, "..")
	if text == "" {
		return nil, fmt.Errorf("an empty value; %s", rangeSyntax)
	}
	if !isRange || q == wordValue {
		if q == wordValue || name == AxisReconfig && strings.Contains(text, ":") {
			return []string{text}, nil
		}
		v, err := q.parse(text)
		if err != nil {
			return nil, err
		}
		return []string{q.format(v)}, nil
	}
	high, step, linear := strings.Cut(high, "+")
	high, k, counted := strings.Cut(high, "/")
	if counted && linear {
		return nil, fmt.Errorf("%q has both points and a step; %s", text, rangeSyntax)
	}
	a, err := q.parse(low)
	if err != nil {
		return nil, err
	}
	b, err := q.parse(high)
	if err != nil {
		return nil, err
	}
	if a >= b {
		return nil, fmt.Errorf("%q is not ascending; %s", text, rangeSyntax)
	}
	if linear {
		return linearRange(q, text, a, b, step)
	}
	if counted {
		if points, err = strconv.Atoi(k); err != nil || points < 2 {
			return nil, fmt.Errorf("%q: %q is not a number of points from 2; %s", text, k, rangeSyntax)
		}
	}
	if a == 0 {
		return nil, fmt.Errorf("%q: equal factors do not start at 0; write a step, %s+STEP", text, text)
	}
	if points == 0 && name == "ports" {
		return linearRange(q, text, a, b, "1")
	}
	if points > maxPoints {
		return nil, fmt.Errorf("%q in %d points; want at most %d", text, points, maxPoints)
	}
	return q.logRange(a, b, points), nil
}

// maxPoints bounds a range: more values of one parameter must be a mistake.
const maxPoints = 1_000_000

func linearRange(q quantity, text string, a, b int64, step string) ([]string, error) {
	s, err := q.parse(step)
	if err != nil {
		return nil, err
	}
	if s <= 0 || (b-a)/s >= maxPoints {
		return nil, fmt.Errorf("%q: the step %s does not lead from one end to the other in %d points", text, step, maxPoints)
	}
	var values []string
	for v := a; v < b; v += s {
		values = append(values, q.format(v))
	}
	return append(values, q.format(b)), nil
}

// logRange goes from a to b by equal factors, in the given number of points or, if that is 0, in
// a number that suits the quantity. Times and rates in between have three digits.
func (q quantity) logRange(a, b int64, points int) []string {
	ratio := math.Log(float64(b) / float64(a))
	if points == 0 {
		factor := math.Ln2
		if q == timeValue {
			factor = math.Ln10 / 3
		}
		points = 1 + max(1, int(math.Round(ratio/factor)))
	}
	var values []string
	for i := range points {
		v := float64(a) * math.Exp(ratio*float64(i)/float64(points-1))
		if q == timeValue || q == rateValue {
			if digits, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64); err == nil {
				v = digits
			}
		}
		n := int64(math.Round(v))
		switch i {
		case 0:
			n = a
		case points - 1:
			n = b
		}
		if text := q.format(n); len(values) == 0 || values[len(values)-1] != text {
			values = append(values, text)
		}
	}
	return values
}

// parse reads a value in base units: bytes, bits per second, picoseconds, or a count.
func (q quantity) parse(text string) (int64, error) {
	switch q {
	case bytesValue:
		v, err := units.ParseBytes(text)
		return int64(v), err
	case rateValue:
		v, err := units.ParseBandwidth(text)
		return int64(v), err
	case timeValue:
		v, err := units.ParseDuration(text)
		return int64(v), err
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < 0 {
		return 0, fmt.Errorf("%q is not a whole number from 0 on; %s", text, rangeSyntax)
	}
	return v, nil
}

// format writes a value in the form that parse reads.
func (q quantity) format(v int64) string {
	switch q {
	case bytesValue:
		return units.Bytes(v).String()
	case rateValue:
		return units.Bandwidth(v).String()
	case timeValue:
		return units.Duration(v).String()
	}
	return strconv.FormatInt(v, 10)
}
