package fabric

import (
	"fmt"
	"strconv"
	"strings"
)

// Failures is what plans do without: GPUs, links, ports, switches and islands that have failed, and
// ports and GPUs that other jobs hold. The zero value is nothing. A value never changes, so copies
// share what was read; two that are written alike are equal by Equal, not by ==.
type Failures struct {
	_    incomparable
	read *failures // nil: nothing
}

// incomparable makes the compiler refuse == where it would compare pointers.
type incomparable [0]func()

// failures is a list that was read.
type failures struct {
	text  string // what has failed, as it was written, with one arrow
	held  string // what other jobs hold, as it was written
	items []failure
	// missing is how many of these no spare replaces.
	missing int
	gpus    map[int]bool
	links   map[[2]int]bool // one entry for each direction
	ports   map[int]int     // how many a GPU has lost, whichever they are: its last ones
	// named are ports that are lost by their numbers, those that are held among them.
	named map[[2]int]bool
	byGPU map[int]int // how many these are
	// heldPorts and heldGPUs are what other jobs hold.
	heldPorts map[[2]int]bool
	heldGPUs  map[int]bool
	switches  map[int]bool // of the layout
	islands   map[int]bool
}

// failure is one entry of the list. From is To where the entry is about one GPU, switch or island.
type failure struct {
	kind     string // gpu, port, link, switch or island; held of what other jobs hold
	from, to int
	port     int // anyPort: it does not say which
	twoWay   bool
	text     string
	replaced *Replacement // by a spare: it is as if it had not failed
}

// anyPort is the port of an entry that names none.
const anyPort = -1

// heldKind is the kind of entries that other jobs hold.
const heldKind = "held"

// spareKind is the kind of entries of GPUs that are spare, or that spares replace. Nobody writes
// them.
const spareKind = "spare"

const avoidSyntax = "use a list of gpu:5, link:3-4 (both ways), link:3>4 (one way), port:7 (one port less), port:7.1 (port 1 of GPU 7), switch:2 (of a layout) and island:3 (its electrical switch)"

const nothingAvoided = "none"

// ParseFailures reads a list such as "gpu:5,link:3-4,port:7"; "" and "none" are nothing. Whether
// a fabric has these GPUs is for its Validate to say.
func ParseFailures(text string) (Failures, error) { return parseFailures(text, MaxNodes) }

func parseFailures(text string, nodes int) (Failures, error) {
	if text == "" || text == nothingAvoided {
		return Failures{}, nil
	}
	var items []failure
	for item := range strings.SplitSeq(text, ",") {
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
	var texts, held []string
	made := &failures{
		items: items, gpus: map[int]bool{}, links: map[[2]int]bool{}, ports: map[int]int{}, named: map[[2]int]bool{}, byGPU: map[int]int{},
		heldPorts: map[[2]int]bool{}, heldGPUs: map[int]bool{}, switches: map[int]bool{}, islands: map[int]bool{},
	}
	for _, item := range items {
		switch item.kind {
		case heldKind:
			held = append(held, item.text)
		case spareKind:
		default:
			texts = append(texts, item.text)
		}
		if item.replaced == nil {
			made.missing++
			made.enter(item)
		}
	}
	made.text, made.held = strings.Join(texts, ","), strings.Join(held, ",")
	return Failures{read: made}
}

// enter enters one entry into the tables.
func (m *failures) enter(item failure) {
	switch item.kind {
	case "gpu":
		m.gpus[item.from] = true
	case "port":
		if item.port == anyPort {
			m.ports[item.from]++
		} else {
			m.lose(item.from, item.port)
		}
	case "switch":
		m.switches[item.from] = true
	case "island":
		m.islands[item.from] = true
	case "link":
		m.links[[2]int{item.from, item.to}] = true
		if item.twoWay {
			m.links[[2]int{item.to, item.from}] = true
		}
	case spareKind:
		for u := item.from; u <= item.to; u++ {
			m.gpus[u] = true
		}
	case heldKind:
		for u := item.from; u <= item.to; u++ {
			if item.port == anyPort {
				m.heldGPUs[u] = true
			} else {
				m.lose(u, item.port)
				m.heldPorts[[2]int{u, item.port}] = true
			}
		}
	default:
		panic("fabric: unknown failure " + item.kind)
	}
}

// lose enters a port that is lost by its number.
func (m *failures) lose(u, port int) {
	if at := [2]int{u, port}; !m.named[at] {
		m.named[at] = true
		m.byGPU[u]++
	}
}

// FailedGPU is the failure of a GPU.
func FailedGPU(u int) Failures {
	return failuresOf([]failure{{kind: "gpu", from: u, to: u, port: anyPort, text: fmt.Sprintf("gpu:%d", u)}})
}

// FailedPort is the failure of one port of a GPU.
func FailedPort(u int) Failures {
	return failuresOf([]failure{{kind: "port", from: u, to: u, port: anyPort, text: fmt.Sprintf("port:%d", u)}})
}

// FailedLink is the failure of a link from one GPU to another, or both ways.
func FailedLink(from, to int, twoWay bool) Failures {
	arrow := ">"
	if twoWay {
		arrow = "-"
	}
	return failuresOf([]failure{{kind: "link", from: from, to: to, port: anyPort, twoWay: twoWay, text: fmt.Sprintf("link:%d%s%d", from, arrow, to)}})
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
	read := failure{kind: kind, port: anyPort, text: oneArrow(item)}
	first, second := what, what
	switch kind {
	case "gpu":
	case "port":
		gpu, port, named := strings.Cut(what, ".")
		if first, second = gpu, gpu; named {
			p, err := portIn(port)
			if err != nil {
				return read, err
			}
			read.port = p
		}
	case "switch", "island":
		s, err := strconv.Atoi(what)
		if err != nil || s < 0 || s >= maxRadix {
			return read, fmt.Errorf("%q is not the number of one", what)
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

// portIn reads the number of a port.
func portIn(text string) (int, error) {
	p, err := strconv.Atoi(text)
	if err != nil || p < 0 || p >= MaxPorts {
		return 0, fmt.Errorf("%q is not a port in 0..%d", text, MaxPorts-1)
	}
	return p, nil
}
