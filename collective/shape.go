package collective

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
)

// Shape is what an algorithm is laid out for. Zero values of the options leave the choice to
// the algorithm.
type Shape struct {
	Nodes int
	Ports int   // how many peers a node can serve at once, >= 1
	Dims  []int // option 8x8: sides of the logical torus
	Radix int   // option r=4
	Parts int   // option parts=16: number of pieces of a buffer in a pipeline
	Peers int   // option peers=1: how many peers a node talks to at once, at most its ports

	// Demand has the bytes of each pair of an all-to-all; nil: all are equal.
	Demand Demand
}

// Option names something that may follow an algorithm's name.
type Option string

// The options.
const (
	OptionDims  Option = "AxB"
	OptionRadix Option = "r=R"
	OptionParts Option = "parts=P"
	OptionPeers Option = "peers=P"
)

// These limit the options: far above anything sensible, far below overflow.
const (
	MaxRadix = 1 << 16
	maxDims  = 16
	maxPeers = 1 << 10
)

// OnIslands is the name before the colon of an algorithm that a plan for islands has made of
// another, as in islands:8/ring. It cannot be asked for.
const OnIslands = "islands"

// ParseSpec reads NAME or NAME:option,option, e.g. swing:8x8 or bruck:r=4.
func ParseSpec(spec string) (name string, s Shape, given []Option, err error) {
	name, rest, found := strings.Cut(spec, ":")
	if !found {
		return name, s, nil, nil
	}
	for part := range strings.SplitSeq(rest, ",") {
		var option Option
		key, value, keyed := strings.Cut(part, "=")
		switch {
		case keyed && key == "r":
			option = OptionRadix
			s.Radix, err = optionNumber(value, 2, MaxRadix)
		case keyed && key == "parts":
			option = OptionParts
			s.Parts, err = optionNumber(value, 1, MaxParts)
		case keyed && key == "peers":
			option = OptionPeers
			s.Peers, err = optionNumber(value, 1, maxPeers)
		case !keyed && part != "":
			option = OptionDims
			for side := range strings.SplitSeq(part, "x") {
				var d int
				if d, err = optionNumber(side, 2, 1<<16); err != nil {
					break
				}
				s.Dims = append(s.Dims, d)
			}
			if err == nil && len(s.Dims) > maxDims {
				err = fmt.Errorf("more than %d sides", maxDims)
			}
		default:
			err = fmt.Errorf("not an option")
		}
		if err == nil && slices.Contains(given, option) {
			err = fmt.Errorf("given twice")
		}
		if err != nil {
			return name, s, nil, fmt.Errorf("algorithm %q: option %q: %w", spec, part, err)
		}
		given = append(given, option)
	}
	return name, s, given, nil
}

func optionNumber(text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q is not a number in %d..%d", text, least, most)
	}
	return n, nil
}

// Spec writes an algorithm's name with the given options of a shape.
func (s *Shape) Spec(name string, given []Option) string {
	var options []string
	for _, option := range given {
		switch option {
		case OptionDims:
			sides := each.Of(s.Dims, strconv.Itoa)
			options = append(options, strings.Join(sides, "x"))
		case OptionRadix:
			options = append(options, "r="+strconv.Itoa(s.Radix))
		case OptionParts:
			options = append(options, "parts="+strconv.Itoa(s.Parts))
		case OptionPeers:
			options = append(options, "peers="+strconv.Itoa(s.Peers))
		}
	}
	if len(options) == 0 {
		return name
	}
	return name + ":" + strings.Join(options, ",")
}
