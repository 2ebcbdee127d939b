package sim

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/sim/traffic"
	"github.com/lightpath-net/lightpath/units"
)

// Matrix is a connection matrix of htsim: messages that start at a given time or when others
// are done.
type Matrix struct {
	Nodes    int
	Flows    []Flow
	Lines    []int // of the file, by flow
	Triggers []Trigger
}

// TriggerKind says what a trigger does when it is activated.
type TriggerKind string

// The kinds of triggers.
const (
	OneShot   TriggerKind = "oneshot"   // starts all of its flows, once
	MultiShot TriggerKind = "multishot" // starts the next of its flows
	BarrierOf TriggerKind = "barrier"   // starts all of its flows at the Count-th time
)

// Trigger starts flows when others are done. Flows are given by their index in the list.
type Trigger struct {
	ID       int         `json:"id"`
	Kind     TriggerKind `json:"kind"`
	Count    int         `json:"count,omitempty"`    // of a barrier
	Starts   []int       `json:"starts,omitempty"`   // in this order
	Sent     []int       `json:"sent,omitempty"`     // flows whose last bit leaves its node
	Received []int       `json:"received,omitempty"` // flows whose last bit arrives
}

// matrixReader reads line by line.
type matrixReader struct {
	Matrix
	counts   map[string]int // as the header says
	found    map[string]int
	triggers map[int]int // index of each trigger by its number, once it is mentioned
	defined  map[int]bool
	ids      map[int]bool
}

// ReadMatrix reads a connection matrix (.cm): the header Nodes N, Connections C and perhaps
// Triggers T, then a line for each message,
//
//	SRC->DST [id F] (start PS | trigger T) size BYTES [MORE..]
//
// where MORE is send_done_trigger T, recv_done_trigger T or prio P, and for each trigger,
// trigger id T oneshot|multishot|barrier [count N]. Starts are in picoseconds. Lines that begin
// with # and empty lines are ignored. Failures are refused, because htsim's are failures of
// switches, which circuits do not have. An error names the line.
func ReadMatrix(r io.Reader) (*Matrix, error) {
	m := &matrixReader{
		counts: map[string]int{}, found: map[string]int{}, triggers: map[int]int{}, defined: map[int]bool{}, ids: map[int]bool{},
	}
	in := bufio.NewScanner(units.SkipMark(r))
	in.Buffer(nil, 1<<20)
	line := 0
	for in.Scan() {
		line++
		words := strings.Fields(in.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if err := m.line(words); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if len(m.Lines) < len(m.Flows) {
			m.Lines = append(m.Lines, line)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", line+1, err)
	}
	if err := m.end(); err != nil {
		return nil, fmt.Errorf("line %d: %w", line, err)
	}
	return &m.Matrix, nil
}

func (m *matrixReader) line(words []string) error {
	switch words[0] {
	case "Nodes", "Connections", "Triggers", "Failures":
		if len(words) != 2 {
			return fmt.Errorf("%s: %d words; want %s and a number", words[0], len(words), words[0])
		}
		n, err := number(words[0], words[1])
		if err != nil {
			return err
		}
		if _, twice := m.counts[words[0]]; twice {
			return fmt.Errorf("%s occurs twice", words[0])
		}
		m.counts[words[0]] = n
		if words[0] == "Nodes" {
			m.Nodes = n
		}
		if words[0] == "Failures" && n > 0 {
			return fmt.Errorf("%s %d; want none: they are of switches", words[0], n)
		}
		return nil
	case "trigger":
		m.found["Triggers"]++
		return m.trigger(words[1:])
	case "failure":
		return fmt.Errorf("a failure of a switch; circuits have none")
	}
	m.found["Connections"]++
	return m.flow(words)
}

// number reads a whole number that is not negative.
func number(what, text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s %q; want a whole number from 0 to %d", what, text, math.MaxInt32)
	}
	return int(n), nil
}

// named returns the index of a trigger.
func (m *matrixReader) named(id int) int {
	i, ok := m.triggers[id]
	if !ok {
		i = len(m.Triggers)
		m.triggers[id] = i
		m.Triggers = append(m.Triggers, Trigger{ID: id})
	}
	return i
}

// flow reads a message.
func (m *matrixReader) flow(words []string) error {
	src, dst, ok := strings.Cut(words[0], "->")
	if !ok {
		return fmt.Errorf("%q; want SRC->DST, a trigger or a count", words[0])
	}
	var f Flow
	ends := [2]int{}
	for i, text := range []string{src, dst} {
		n, err := number("node", text)
		if err != nil {
			return err
		}
		ends[i] = n
	}
	f.Src, f.Dst = int32(ends[0]), int32(ends[1])
	index := len(m.Flows)
	begins, sized := 0, false
	for words = words[1:]; len(words) > 0; {
		what := words[0]
		if what == "addon" {
			words = words[1:]
			continue
		}
		if len(words) < 2 {
			return fmt.Errorf("%s: nothing after it", what)
		}
		value := words[1]
		words = words[2:]
		if what == "start" {
			ps, err := strconv.ParseFloat(value, 64)
			if err != nil || !(ps >= 0 && ps <= traffic.Longest/4) {
				return fmt.Errorf("start %q; want picoseconds from 0 on", value)
			}
			f.Start = units.Duration(math.Round(ps))
			begins++
			continue
		}
		n, err := number(what, value)
		if err != nil {
			return err
		}
		switch what {
		case "id":
			if n == 0 || m.ids[n] {
				return fmt.Errorf("id %d; want one from 1 on that no other has", n)
			}
			m.ids[n] = true
		case "size":
			f.Bytes, sized = units.Bytes(n), true
		case "prio":
			f.Priority = int32(n)
		case "trigger":
			t := &m.Triggers[m.named(n)]
			t.Starts = append(t.Starts, index)
			begins++
		case "send_done_trigger":
			t := &m.Triggers[m.named(n)]
			t.Sent = append(t.Sent, index)
		case "recv_done_trigger":
			t := &m.Triggers[m.named(n)]
			t.Received = append(t.Received, index)
		default:
			return fmt.Errorf("%q; want id, start, trigger, size, send_done_trigger, recv_done_trigger or prio", what)
		}
	}
	if begins != 1 || !sized {
		return fmt.Errorf("want size, and one of start and trigger")
	}
	if err := f.validate(m.Nodes); err != nil {
		return err
	}
	m.Flows = append(m.Flows, f)
	return nil
}

// trigger reads a trigger.
func (m *matrixReader) trigger(words []string) error {
	if len(words) < 3 || words[0] != "id" {
		return fmt.Errorf("want trigger id T and oneshot, multishot or barrier")
	}
	id, err := number("id", words[1])
	if err != nil {
		return err
	}
	if m.defined[id] {
		return fmt.Errorf("trigger %d is listed twice", id)
	}
	m.defined[id] = true
	t := &m.Triggers[m.named(id)]
	t.Kind = TriggerKind(words[2])
	rest := words[3:]
	if t.Kind == BarrierOf {
		if len(rest) != 2 || rest[0] != "count" {
			return fmt.Errorf("want barrier count N")
		}
		if t.Count, err = number("count", rest[1]); err != nil || t.Count == 0 {
			return fmt.Errorf("count %q; want 1 or more", rest[1])
		}
		rest = nil
	}
	if len(rest) > 0 || t.Kind != OneShot && t.Kind != MultiShot && t.Kind != BarrierOf {
		return fmt.Errorf("%q; want oneshot, multishot or barrier count N", strings.Join(words[2:], " "))
	}
	return nil
}

// end checks what is known only at the end.
func (m *matrixReader) end() error {
	if _, ok := m.counts["Nodes"]; !ok {
		return fmt.Errorf("no Nodes N")
	}
	for _, what := range []string{"Connections", "Triggers"} {
		if m.counts[what] != m.found[what] {
			return fmt.Errorf("%d %s; the header says %d", m.found[what], what, m.counts[what])
		}
	}
	for i := range m.Triggers {
		t := &m.Triggers[i]
		switch activations := len(t.Sent) + len(t.Received); {
		case !m.defined[t.ID]:
			return fmt.Errorf("no trigger id %d", t.ID)
		case t.Kind == OneShot && activations > 1:
			return fmt.Errorf("trigger %d is a oneshot, and %d flows activate it", t.ID, activations)
		case t.Kind == BarrierOf && activations != t.Count:
			return fmt.Errorf("trigger %d waits for %d flows, and %d activate it", t.ID, t.Count, activations)
		case t.Kind == MultiShot && activations < len(t.Starts), activations == 0 && len(t.Starts) > 0:
			return fmt.Errorf("trigger %d starts %d flows, and only %d activate it", t.ID, len(t.Starts), activations)
		}
	}
	return nil
}
