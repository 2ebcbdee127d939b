package layout

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Ideal is the text of the zero value: one switch has all ports.
const Ideal = "ideal"

// Syntax says what Parse accepts.
const Syntax = "use ideal, rails, a grid such as 8x8 or 8x8:2,2 (ports by digit), cubes:4x4x4, or table:0,1;0,1 (switches of the ports of each GPU)"

// Limits of what a layout may be. They keep a mistyped one from filling the memory.
const (
	maxGPUs  = 1 << 16
	maxPorts = 1 << 22 // of all GPUs
)

// kind is a way to plug.
type kind int

const (
	rails kind = iota // port p of every GPU is on switch p
	grid              // a switch for each port of each line of GPUs that differ in one digit
	cubes             // opposite faces of cubes, by axis and place
	table             // any
)

// Layout says which ports are plugged into the same switch. The zero value is ideal: all of them.
// A value never changes, so copies share what was read; two that are written alike are equal by
// Equal, not by ==.
type Layout struct {
	_    [0]func() // not comparable
	read *written
}

// written is a layout that was read.
type written struct {
	kind   kind
	text   string
	sides  []int     // of a grid or a cube
	share  []int     // ports of each digit of a grid; nil: as even as can be
	rows   [][]int32 // of a table: switches by GPU and port, -1: not plugged in
	made   sync.Mutex
	memory map[[2]int]*Plugging // by GPUs and ports
}

// Rails is the layout in which port p of every GPU is on switch p.
func Rails() Layout { return Layout{read: &written{kind: rails, text: "rails"}} }

// Grid returns the layout of GPUs as points of a grid, numbered with the last digit fastest. Ports
// are shared out by digit; nil: as evenly as can be, the first digits having one more.
func Grid(sides, share []int) (Layout, error) {
	text := join(sides, "x")
	if share != nil {
		text += ":" + join(share, ",")
	}
	return Parse(text)
}

// IsZero reports whether the layout is ideal.
func (l Layout) IsZero() bool { return l.read == nil }

// String writes the layout as Parse reads it; "": ideal.
func (l Layout) String() string {
	if l.IsZero() {
		return ""
	}
	return l.read.text
}

// Short is String in at most forty characters.
func (l Layout) Short() string {
	if text := l.String(); len(text) > 40 {
		return text[:37] + "..."
	}
	return l.String()
}

// Equal reports whether two layouts are written alike.
func (l Layout) Equal(other Layout) bool { return l.String() == other.String() }

// Parallel reports whether port p of every GPU is on switch p, or all are on one.
func (l Layout) Parallel() bool { return l.IsZero() || l.read.kind == rails }

// Sides returns the sides of a grid and the ports of each digit where it says so; nil, nil for
// other layouts.
func (l Layout) Sides() (sides, share []int) {
	if l.IsZero() || l.read.kind != grid {
		return nil, nil
	}
	return slices.Clone(l.read.sides), slices.Clone(l.read.share)
}

// Parse reads a layout; "" and "ideal" are the zero value.
func Parse(text string) (Layout, error) {
	w := &written{}
	var err error
	switch what, rest, _ := strings.Cut(text, ":"); {
	case text == "" || text == Ideal:
		return Layout{}, nil
	case text == "rails":
		w.kind = rails
	case what == "cubes":
		w.kind = cubes
		w.sides, err = numbers(rest, "x", 1)
		if err == nil && len(w.sides) != 3 {
			err = fmt.Errorf("a cube has three sides")
		}
	case what == "table":
		w.kind = table
		w.rows, err = parseRows(rest)
	case strings.Contains(what, "x"):
		w.kind = grid
		err = w.parseGrid(text)
	default:
		err = fmt.Errorf("unknown layout")
	}
	if err != nil {
		return Layout{}, fmt.Errorf("%.40q: %w; %s", text, err, Syntax)
	}
	w.text = w.write()
	return Layout{read: w}, nil
}

func (w *written) parseGrid(text string) (err error) {
	digits, share, shared := strings.Cut(text, ":")
	if w.sides, err = numbers(digits, "x", 2); err != nil || !shared {
		return err
	}
	if w.share, err = numbers(share, ",", 1); err == nil && len(w.share) != len(w.sides) {
		err = fmt.Errorf("ports for %d digits of %d", len(w.share), len(w.sides))
	}
	return err
}

// write is the one way to write a layout.
func (w *written) write() string {
	switch w.kind {
	case rails:
		return "rails"
	case cubes:
		return "cubes:" + join(w.sides, "x")
	case grid:
		text := join(w.sides, "x")
		if w.share != nil {
			text += ":" + join(w.share, ",")
		}
		return text
	case table:
		return "table:" + writeRows(w.rows)
	}
	panic(fmt.Sprintf("layout: unknown kind %d", w.kind))
}

// numbers reads a list of numbers of at least least whose product is one of GPUs.
func numbers(text, separator string, least int) ([]int, error) {
	var all []int
	product := 1
	for _, word := range strings.Split(text, separator) {
		n, err := strconv.Atoi(word)
		if err != nil || n < least || n > maxGPUs {
			return nil, fmt.Errorf("%.20q is not a number in %d..%d", word, least, maxGPUs)
		}
		if product *= n; product > maxGPUs {
			return nil, fmt.Errorf("more than %d", maxGPUs)
		}
		all = append(all, n)
	}
	return all, nil
}

func join(numbers []int, separator string) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, separator)
}
