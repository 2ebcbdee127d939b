package layout

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/lightpath-net/lightpath/internal/each"
)

// Ideal is the text of the zero value: one switch has all ports.
const Ideal = "ideal"

// These limit the size of a layout, so that a mistyped one does not fill the memory.
const (
	maxGPUs     = 1 << 16
	maxGPUPorts = 1 << 10 // of one GPU
	maxPorts    = 1 << 22 // of all GPUs
)

// Layout says which ports are plugged into the same switch. The zero value is ideal: all of
// them. A value never changes, so copies share what was read. Compare values with Equal, which
// compares their text, not with ==.
type Layout struct {
	_    [0]func() // not comparable
	read *written
}

// written is a layout that was read.
type written struct {
	plugger
	text   string
	made   sync.Mutex
	memory map[[2]int]*Plugging // by number of GPUs and ports
	less   map[[2]int][]*Plugging
}

func newLayout(w plugger) Layout { return Layout{read: &written{plugger: w, text: w.String()}} }

// Rails returns the layout in which port p of every GPU is on switch p.
func Rails() Layout { return newLayout(rails{}) }

// IsZero reports whether the layout is ideal.
func (l Layout) IsZero() bool { return l.read == nil }

// String writes the layout for Parse; "": ideal.
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

// Equal reports whether two layouts have the same text.
func (l Layout) Equal(other Layout) bool { return l.String() == other.String() }

// Parallel reports whether port p of every GPU is on switch p, or all are on one.
func (l Layout) Parallel() bool {
	if l.IsZero() {
		return true
	}
	_, parallel := l.read.plugger.(rails)
	return parallel
}

// Parse reads a layout; "" and "ideal" are the zero value.
func Parse(text string) (Layout, error) {
	if text == "" || text == Ideal {
		return Layout{}, nil
	}
	w, err := parse(text)
	if err != nil {
		return Layout{}, fmt.Errorf("%.40q: %w; %s", text, err, Syntax())
	}
	return newLayout(w), nil
}

// numbers reads a list of numbers, each at least least, whose product is a possible number of
// GPUs.
func numbers(text, separator string, least int) ([]int, error) {
	var all []int
	product := 1
	for word := range strings.SplitSeq(text, separator) {
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
	words := each.Of(numbers, strconv.Itoa)
	return strings.Join(words, separator)
}
