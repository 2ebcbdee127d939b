// Package sonic keeps the cross-connects of an optical switch that runs SONiC in a file: the
// tables OCS_PORT and OCS_CROSS_CONNECT of CONFIG_DB, in the form of config_db.json.
//
// The tables follow the YANG model sonic-ocs of SONiC's OCS working group, as the OCS High Level
// Design (sonic-net/SONiC, pull request 2269) and revision 0.2 (19 August 2026) of the SONiC-OCS
// Developer Guide describe it. Simplex ports are 1A, 2A, .. on the A side, where light enters,
// and 1B, 2B, .. on the B side; a cross-connect is 1A-2B. Because ingress ports are numbered
// from 1 and egress ports follow them, 1A is port 1, and 1B is the port after the last one of
// the A side.
package sonic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/internal/strict"
)

// The tables.
const (
	portTable  = "OCS_PORT"
	crossTable = "OCS_CROSS_CONNECT"
)

// Bounds of a file.
const (
	maxBytes = 64 << 20
	maxPort  = 1 << 16 // per side
)

// tables is a file with all its tables; tables of others stay unchanged.
type tables struct {
	all    map[string]json.RawMessage
	a, b   map[int]bool // ports of each side
	size   control.Size
	up     control.State
	fields map[string]json.RawMessage // of cross-connects, by name
}

// parse reads a file.
func parse(data []byte) (*tables, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("more than %d bytes", maxBytes)
	}
	t := &tables{a: map[int]bool{}, b: map[int]bool{}, up: control.State{}}
	if err := strict.Unmarshal(data, &t.all); err != nil {
		return nil, err
	}
	if err := t.ports(); err != nil {
		return nil, err
	}
	return t, t.crosses()
}

// ports reads the ports.
func (t *tables) ports() error {
	var ports map[string]json.RawMessage
	text, there := t.all[portTable]
	if !there {
		return errors.New(portTable + ": missing; want the ports of the switch, such as 1A and 1B")
	}
	if err := strict.Unmarshal(text, &ports); err != nil {
		return fmt.Errorf("%s: %w", portTable, err)
	}
	for _, name := range slices.Sorted(maps.Keys(ports)) {
		number, side, err := readPort(name)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", portTable, err)
		case side == 'A':
			t.a[number], t.size.Ingress = true, max(t.size.Ingress, number)
		default:
			t.b[number], t.size.Egress = true, max(t.size.Egress, number)
		}
	}
	if len(t.a) == 0 || len(t.b) == 0 {
		return fmt.Errorf("%s: %d ports on side A and %d on side B; want some on each", portTable, len(t.a), len(t.b))
	}
	return nil
}

// crosses reads the cross-connects.
func (t *tables) crosses() error {
	if text, there := t.all[crossTable]; there {
		if err := strict.Unmarshal(text, &t.fields); err != nil {
			return fmt.Errorf("%s: %w", crossTable, err)
		}
	}
	var list []control.Cross
	for _, name := range slices.Sorted(maps.Keys(t.fields)) {
		x, err := t.cross(name, t.fields[name])
		if err != nil {
			return fmt.Errorf("%s: %w", crossTable, err)
		}
		list = append(list, x)
	}
	up, err := control.Up(list)
	if err != nil {
		return fmt.Errorf("%s: %w", crossTable, err)
	}
	t.up = up
	return nil
}

// cross reads a cross-connect. Its sides may be missing, because its name gives them; sides that
// contradict the name are refused.
func (t *tables) cross(name string, text []byte) (control.Cross, error) {
	from, to, ok := strings.Cut(name, "-")
	in, first, err := readPort(from)
	out, second, wrong := readPort(to)
	if !ok || err != nil || wrong != nil || first != 'A' || second != 'B' {
		return control.Cross{}, fmt.Errorf("%.40q is not a cross-connect, 1A-2B", name)
	}
	var sides struct {
		A string `json:"a_side"`
		B string `json:"b_side"`
	}
	if err := json.Unmarshal(text, &sides); err != nil {
		return control.Cross{}, fmt.Errorf("%s: %.100s", name, err.Error())
	}
	if sides.A != "" && sides.A != from || sides.B != "" && sides.B != to {
		return control.Cross{}, fmt.Errorf("%s: a_side is %.20q and b_side %.20q", name, sides.A, sides.B)
	}
	if !t.a[in] || !t.b[out] {
		return control.Cross{}, fmt.Errorf("%s: a port that %s does not have", name, portTable)
	}
	return control.Cross{Ingress: in, Egress: t.size.Ingress + out}, nil
}

// readPort reads the name of a port: its number and its side.
func readPort(name string) (number int, side byte, err error) {
	if len(name) > 1 {
		side = name[len(name)-1]
		number, err = strconv.Atoi(name[:len(name)-1])
	}
	if err != nil || number < 1 || number > maxPort || side != 'A' && side != 'B' || name != strconv.Itoa(number)+string(side) {
		return 0, 0, fmt.Errorf("%.20q is not a port, 1A or 1B", name)
	}
	return number, side, nil
}

// name returns the names of a cross-connect's two ports.
func (t *tables) name(x control.Cross) (from, to string) {
	return strconv.Itoa(x.Ingress) + "A", strconv.Itoa(x.Egress-t.size.Ingress) + "B"
}

// change makes a change; the error is a refusal.
func (t *tables) change(c control.Change) error {
	for _, x := range c.Connect {
		if err := t.size.Check(x); err != nil {
			return err
		}
		if !t.a[x.Ingress] || !t.b[x.Egress-t.size.Ingress] {
			return fmt.Errorf("%v: a port that %s does not have", x, portTable)
		}
	}
	if err := c.Apply(t.up); err != nil {
		return err
	}
	made := map[string]json.RawMessage{}
	for _, x := range t.up.Crosses() {
		from, to := t.name(x)
		name := from + "-" + to
		if made[name] = t.fields[name]; made[name] == nil {
			made[name] = json.RawMessage(fmt.Sprintf(`{"a_side":%q,"b_side":%q}`, from, to))
		}
	}
	text, err := json.Marshal(made)
	if err != nil {
		return err
	}
	t.fields, t.all[crossTable] = made, text
	return nil
}

// encode writes the file in the order of names, indented by four blanks as SONiC does.
func (t *tables) encode() ([]byte, error) {
	text, err := json.Marshal(t.all)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "    "); err != nil {
		return nil, err
	}
	return append(out.Bytes(), '\n'), nil
}
