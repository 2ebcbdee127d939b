package fabric

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Failures is what plans do without: GPUs, links, ports, switches and islands that have failed,
// and ports and GPUs that other jobs hold. The zero value is nothing. A value never changes, so
// copies share what was read. Compare values with Equal, which compares their text, not with
// ==.
type Failures struct {
	_    incomparable
	read *failures // nil: nothing
}

// incomparable makes the compiler refuse ==, which would compare pointers.
type incomparable [0]func()

// failures is a list that was read.
type failures struct {
	text  string // what has failed, as written, with arrows normalised
	held  string // what other jobs hold, as written
	items []failure
	// missing is the number of entries that no spare replaces.
	missing int
	gpus    map[int]bool
	links   map[[2]int]bool // one entry per direction
	ports   map[int]int     // how many ports a GPU has lost without a number: its last ones
	// named are ports lost by number, including those that are held.
	named map[[2]int]bool
	byGPU map[int]int // the number of named ports
	// heldPorts and heldGPUs are held by other jobs.
	heldPorts map[[2]int]bool
	heldGPUs  map[int]bool
	switches  map[int]bool // of the layout
	islands   map[int]bool
}

// failure is one entry of the list. From equals To if the entry is about one GPU, switch or
// island.
type failure struct {
	kind     string // gpu, port, link, switch or island; held for what other jobs hold
	from, to int
	port     int // anyPort: not given
	twoWay   bool
	text     string
	replaced *Replacement // by a spare: as if it had not failed
}

// anyPort is the port of an entry that gives none.
const anyPort = -1

// heldKind is the kind of entries that other jobs hold.
const heldKind = "held"

// spareKind is the kind of entries for GPUs that are spare, or that spares replace. Users
// cannot write them.
const spareKind = "spare"

const avoidSyntax = "use a list of gpu:5, link:3-4 (both ways), link:3>4 (one way), port:7 (one port less), port:7.1 (port 1 of GPU 7), switch:2 (of a layout) and island:3 (its electrical switch)"

const nothingAvoided = "none"

// ParseFailures reads a list such as "gpu:5,link:3-4,port:7"; "" and "none" are nothing.
// Fabric.Validate checks whether the fabric has these GPUs.
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

// failuresOf makes a list from its entries.
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

// enter adds one entry to the tables.
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

// lose adds a port that is lost by number.
func (m *failures) lose(u, port int) {
	if at := [2]int{u, port}; !m.named[at] {
		m.named[at] = true
		m.byGPU[u]++
	}
}

// FailedGPU returns the failure of a GPU.
func FailedGPU(u int) Failures { return failed("gpu", u) }

// FailedPort returns the failure of one port of a GPU, whichever it is.
func FailedPort(u int) Failures { return failed("port", u) }

// FailedPortAt returns the failure of a port of a GPU.
func FailedPortAt(u, port int) Failures {
	return failuresOf([]failure{{kind: "port", from: u, to: u, port: port, text: fmt.Sprintf("port:%d.%d", u, port)}})
}

// FailedSwitch returns the failure of a switch of the layout.
func FailedSwitch(s int) Failures { return failed("switch", s) }

// FailedIsland returns the failure of the electrical switch of an island.
func FailedIsland(i int) Failures { return failed("island", i) }

func failed(kind string, number int) Failures {
	return failuresOf([]failure{{kind: kind, from: number, to: number, port: anyPort, text: fmt.Sprintf("%s:%d", kind, number)}})
}

// FailedLink returns the failure of a link from one GPU to another, or both ways.
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

// oneArrow normalises a list of links to the form in settings and files: "3>4".
func oneArrow(list string) string { return strings.ReplaceAll(list, "->", ">") }

func parseFailure(item string, nodes int) (failure, error) {
	kind, what, _ := strings.Cut(item, ":")
	read := failure{kind: kind, port: anyPort, text: oneArrow(item)}
	first, second := what, what
	switch kind {
	case "gpu":
	case "port":
		read.text = strings.Replace(item, "/", ".", 1) // as in failures of a simulation
		gpu, port, named := strings.Cut(strings.Replace(what, "/", ".", 1), ".")
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
		return read, errors.New("not a part that can fail")
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
