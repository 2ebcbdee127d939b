package fabric

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Failures is what has failed: GPUs, links, ports and switches that plans do without. The zero
// value is nothing. A value never changes, so copies share what was read; two that are written
// alike are equal by Equal, not by ==.
type Failures struct {
	_    incomparable
	read *failures // nil: nothing
}

// incomparable makes the compiler refuse == where it would compare pointers.
type incomparable [0]func()

// failures is a list that was read.
type failures struct {
	text  string // as it was written, with one arrow
	items []failure
	gpus  map[int]bool
	links map[[2]int]bool // one entry for each direction
	ports map[int]int     // how many a GPU has lost
	// switches are those of the layout.
	switches map[int]bool
}

// failure is one entry of the list. From is To where the entry is about one GPU or switch.
type failure struct {
	kind     string // gpu, port, link or switch
	from, to int
	twoWay   bool
	text     string
}

const avoidSyntax = "use a list of gpu:5, link:3-4 (both ways), link:3>4 (one way), port:7 (one port less) and switch:2 (of a layout)"

const nothingAvoided = "none"

// ParseFailures reads a list such as "gpu:5,link:3-4,port:7"; "" and "none" are nothing. Whether
// a fabric has these GPUs is for its Validate to say.
func ParseFailures(text string) (Failures, error) { return parseFailures(text, MaxNodes) }

func parseFailures(text string, nodes int) (Failures, error) {
	if text == "" || text == nothingAvoided {
		return Failures{}, nil
	}
	var items []failure
	for _, item := range strings.Split(text, ",") {
		if item == "" {
			return Failures{}, fmt.Errorf("%.40q: the list has an empty entry; %s", text, avoidSyntax)
		}
		read, err := parseFailure(item, nodes)
		if err != nil {
			return Failures{}, fmt.Errorf("%q: %w; %s", item, err, avoidSyntax)
		}
		items = append(items, read)
	}
	return failuresOf(items), nil
}

// failuresOf makes a list of its entries.
func failuresOf(items []failure) Failures {
	if len(items) == 0 {
		return Failures{}
	}
	texts := make([]string, len(items))
	made := &failures{items: items, gpus: map[int]bool{}, links: map[[2]int]bool{}, ports: map[int]int{}, switches: map[int]bool{}}
	for i, item := range items {
		texts[i] = item.text
		switch item.kind {
		case "gpu":
			made.gpus[item.from] = true
		case "port":
			made.ports[item.from]++
		case "switch":
			made.switches[item.from] = true
		default:
			made.links[[2]int{item.from, item.to}] = true
			if item.twoWay {
				made.links[[2]int{item.to, item.from}] = true
			}
		}
	}
	made.text = strings.Join(texts, ",")
	return Failures{read: made}
}

// FailedGPU is the failure of a GPU.
func FailedGPU(u int) Failures {
	return failuresOf([]failure{{kind: "gpu", from: u, to: u, text: fmt.Sprintf("gpu:%d", u)}})
}

// FailedPort is the failure of one port of a GPU.
func FailedPort(u int) Failures {
	return failuresOf([]failure{{kind: "port", from: u, to: u, text: fmt.Sprintf("port:%d", u)}})
}

// FailedLink is the failure of a link from one GPU to another, or both ways.
func FailedLink(from, to int, twoWay bool) Failures {
	arrow := ">"
	if twoWay {
		arrow = "-"
	}
	return failuresOf([]failure{{kind: "link", from: from, to: to, twoWay: twoWay, text: fmt.Sprintf("link:%d%s%d", from, arrow, to)}})
}

// cutPair reads the ends of a link: "3>4" or "3->4" for one way, "3-4" for both.
func cutPair(text string) (from, to string, oneWay bool) {
	if from, to, oneWay = strings.Cut(text, ">"); oneWay {
		return strings.TrimSuffix(from, "-"), to, true
	}
	from, to, _ = strings.Cut(text, "-")
	return from, to, false
}

// oneArrow writes a list of links in the one form that settings and files have: "3>4".
func oneArrow(list string) string { return strings.ReplaceAll(list, "->", ">") }

func parseFailure(item string, nodes int) (failure, error) {
	kind, what, _ := strings.Cut(item, ":")
	read := failure{kind: kind, text: oneArrow(item)}
	first, second := what, what
	switch kind {
	case "gpu", "port":
	case "switch":
		s, err := strconv.Atoi(what)
		if err != nil || s < 0 || s >= maxRadix {
			return read, fmt.Errorf("%q is not a switch", what)
		}
		read.from, read.to = s, s
		return read, nil
	case "link":
		var oneWay bool
		first, second, oneWay = cutPair(what)
		read.twoWay = !oneWay
	default:
		return read, fmt.Errorf("nothing that can fail")
	}
	var err error
	if read.from, err = gpuIn(first, nodes); err != nil {
		return read, err
	}
	if read.to, err = gpuIn(second, nodes); err != nil {
		return read, err
	}
	if kind == "link" && read.from == read.to {
		return read, fmt.Errorf("both ends are GPU %d", read.from)
	}
	return read, nil
}

// gpuIn reads the number of a GPU below nodes.
func gpuIn(text string, nodes int) (int, error) {
	u, err := strconv.Atoi(text)
	if err != nil || u < 0 || u >= nodes {
		return 0, fmt.Errorf("%q is not a GPU in 0..%d", text, nodes-1)
	}
	return u, nil
}

// within reports the first entry about a GPU that a fabric of so many nodes does not have.
func (a Failures) within(nodes int) error {
	if a.IsZero() {
		return nil
	}
	if slices.ContainsFunc(a.read.items, func(f failure) bool { return f.kind != "switch" && max(f.from, f.to) >= nodes }) {
		_, err := parseFailures(a.read.text, nodes) // names the entry as it was written
		return err
	}
	return nil
}

// IsZero reports whether nothing has failed.
func (a Failures) IsZero() bool { return a.read == nil }

// String writes the list as it was read; "": nothing.
func (a Failures) String() string {
	if a.IsZero() {
		return ""
	}
	return a.read.text
}

// Equal reports whether two lists are written alike.
func (a Failures) Equal(b Failures) bool { return a.String() == b.String() }

// GPU reports whether a GPU has failed: it takes no part and has no circuits.
func (a Failures) GPU(u int) bool { return a.read != nil && a.read.gpus[u] }

// GPUs lists the GPUs that have failed, ascending.
func (a Failures) GPUs() []int {
	if a.IsZero() {
		return nil
	}
	return slices.Sorted(maps.Keys(a.read.gpus))
}

// Link reports whether there can be no circuit from one GPU to another.
func (a Failures) Link(from, to int) bool { return a.read != nil && a.read.links[[2]int{from, to}] }

// Links lists the pairs between which there can be no circuit, one for each direction, ascending.
func (a Failures) Links() [][2]int {
	if a.IsZero() {
		return nil
	}
	return slices.SortedFunc(maps.Keys(a.read.links), func(x, y [2]int) int { return slices.Compare(x[:], y[:]) })
}

// Ports returns how many ports of a GPU have failed.
func (a Failures) Ports(u int) int {
	if a.IsZero() {
		return 0
	}
	return a.read.ports[u]
}

// LostPorts lists the GPUs of which some port has failed, ascending.
func (a Failures) LostPorts() []int {
	if a.IsZero() {
		return nil
	}
	return slices.Sorted(maps.Keys(a.read.ports))
}

// Switch reports whether a switch of the layout has failed: nothing that is plugged into it has
// circuits.
func (a Failures) Switch(s int) bool { return a.read != nil && a.read.switches[s] }

// Switches lists the switches that have failed, ascending.
func (a Failures) Switches() []int {
	if a.IsZero() {
		return nil
	}
	return slices.Sorted(maps.Keys(a.read.switches))
}

// And returns all lists in one, in their order.
func (a Failures) And(more ...Failures) Failures {
	var items []failure
	for _, list := range append([]Failures{a}, more...) {
		if !list.IsZero() {
			items = append(items, list.read.items...)
		}
	}
	return failuresOf(items)
}

// Has reports whether the list has all entries of another, as they are written there.
func (a Failures) Has(b Failures) bool {
	for i := 0; !b.IsZero() && i < len(b.read.items); i++ {
		if a.IsZero() || !slices.Contains(a.read.items, b.read.items[i]) {
			return false
		}
	}
	return true
}

// WithoutLinks returns the list as if no link had failed.
func (a Failures) WithoutLinks() Failures {
	if a.IsZero() {
		return a
	}
	return failuresOf(slices.DeleteFunc(slices.Clone(a.read.items), func(f failure) bool { return f.kind == "link" }))
}

// about writes the entries that a test picks.
func (a Failures) about(picked func(kind string, from, to int) bool) string {
	if a.IsZero() {
		return ""
	}
	return failuresOf(slices.DeleteFunc(slices.Clone(a.read.items), func(f failure) bool { return !picked(f.kind, f.from, f.to) })).String()
}
