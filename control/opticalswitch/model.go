// Package opticalswitch implements the parts of the YANG model optical-switch that control
// needs: the cross-connects, a list of pairs by ingress port, and the product, whose name has
// the number of ports. Polatis publishes the model (revision 2018-03-22 was read), and RESTCONF,
// NETCONF and gNMI carry it. OpenConfig has no model of an optical circuit switch.
package opticalswitch

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/internal/each"
)

// Names of the model.
const (
	Module    = "optical-switch"
	Namespace = "http://www.polatis.com/yang/optical-switch"
	Crosses   = "cross-connects"
	Pair      = "pair"
	Ingress   = "ingress"
	Egress    = "egress"
	Product   = "product-information"
	ModelName = "model-name"
)

// Bounds of a document: bytes, and the number of a port (portFormat).
const (
	MaxBytes = 8 << 20
	maxPort  = 65535
)

// port is the number of a port, written as a number or as text.
type port int

// UnmarshalJSON reads a number, or a string that contains one.
func (p *port) UnmarshalJSON(data []byte) error { return p.read(strings.Trim(string(data), `"`)) }

// UnmarshalText reads the text of an XML element.
func (p *port) UnmarshalText(text []byte) error { return p.read(strings.TrimSpace(string(text))) }

func (p *port) read(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxPort {
		return fmt.Errorf("%.20q is not a port in 1..%d", text, maxPort)
	}
	*p = port(n)
	return nil
}

// PairOf is a cross-connect in the model.
type PairOf struct {
	Operation string `json:"-" xml:"urn:ietf:params:xml:ns:netconf:base:1.0 operation,attr,omitempty"`
	Ingress   port   `json:"ingress" xml:"ingress"`
	Egress    port   `json:"egress,omitempty" xml:"egress,omitempty"`
}

// Cross returns the cross-connect.
func (p PairOf) Cross() control.Cross {
	return control.Cross{Ingress: int(p.Ingress), Egress: int(p.Egress)}
}

// NewPair returns the pair of a cross-connect.
func NewPair(x control.Cross) PairOf {
	return PairOf{Ingress: port(x.Ingress), Egress: port(x.Egress)}
}

// CrossConnects is the container of all pairs.
type CrossConnects struct {
	XMLName   xml.Name `json:"-" xml:"http://www.polatis.com/yang/optical-switch cross-connects"`
	Operation string   `json:"-" xml:"urn:ietf:params:xml:ns:netconf:base:1.0 operation,attr,omitempty"`
	Pairs     []PairOf `json:"pair" xml:"pair"`
}

// NewCrossConnects returns the container of a state.
func NewCrossConnects(s control.State) *CrossConnects {
	c := &CrossConnects{Pairs: []PairOf{}}
	c.Pairs = append(c.Pairs, each.Of(s.Crosses(), NewPair)...)
	return c
}

// State returns the cross-connects. A pair without an egress port is an error.
func (c *CrossConnects) State() (control.State, error) {
	var list []control.Cross
	for _, p := range c.Pairs {
		if p.Ingress == 0 || p.Egress == 0 {
			return nil, errors.New("a pair without ingress or egress")
		}
		list = append(list, p.Cross())
	}
	return control.Up(list)
}

// EncodeJSON writes the container in the form of RFC 7951: {"optical-switch:cross-connects":
// ..}.
func EncodeJSON(s control.State) ([]byte, error) {
	return json.Marshal(map[string]any{Module + ":" + Crosses: NewCrossConnects(s)})
}

// DecodeJSON reads a document with the container, with or without its name around it, which
// older switches omit. A document with neither the container nor a list of pairs is an error,
// because it says nothing about the cross-connects.
func DecodeJSON(data []byte) (control.State, error) {
	outer, err := object(data)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{Module + ":" + Crosses, Crosses} {
		if one, named := outer[name]; named {
			return DecodeContainer(one)
		}
	}
	if outer[Pair] == nil && outer[Module+":"+Pair] == nil {
		return nil, fmt.Errorf("a document without %s:%s", Module, Crosses)
	}
	return DecodeContainer(data)
}

// DecodeContainer reads the content of the container: a list of pairs, or empty braces, which
// mean no cross-connects.
func DecodeContainer(data []byte) (control.State, error) {
	inner, err := object(data)
	if err != nil {
		return nil, err
	}
	all := []PairOf{}
	found := len(inner) == 0
	for _, name := range []string{Pair, Module + ":" + Pair} {
		text, there := inner[name]
		if !there {
			continue
		}
		var pairs []PairOf
		if err := json.Unmarshal(text, &pairs); err != nil {
			return nil, oneLine(err)
		}
		if pairs == nil {
			return nil, fmt.Errorf("%s is not a list", name)
		}
		all, found = append(all, pairs...), true
	}
	if !found {
		return nil, fmt.Errorf("%s without a list of pairs", Crosses)
	}
	return (&CrossConnects{Pairs: all}).State()
}

// object reads the members of an object.
func object(data []byte) (map[string]json.RawMessage, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("more than %d bytes", MaxBytes)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, oneLine(err)
	}
	if members == nil {
		return nil, errors.New("null, not an object")
	}
	return members, nil
}

// oneLine cuts a decoder's message to one line.
func oneLine(err error) error {
	return fmt.Errorf("%.200s", strings.Join(strings.Fields(err.Error()), " "))
}

// sized matches the part of a model's name with its numbers of ports: N-OST-24x24-LA1.
var sized = regexp.MustCompile(`([0-9]{1,5})x([0-9]{1,5})`)

// SizeOf reads the number of ports in a model's name.
func SizeOf(model string) (control.Size, error) {
	found := sized.FindStringSubmatch(model)
	if found == nil {
		return control.Size{}, fmt.Errorf("model %.60q does not say how many ports it has, e.g. 16x16", model)
	}
	in, _ := strconv.Atoi(found[1])
	out, _ := strconv.Atoi(found[2])
	if in < 1 || out < 1 || in+out > maxPort {
		return control.Size{}, fmt.Errorf("model %.60q: not a number of ports", model)
	}
	return control.Size{Ingress: in, Egress: out}, nil
}

// ModelOf returns the model name of an emulated switch.
func ModelOf(s control.Size) string { return fmt.Sprintf("emulated-%dx%d", s.Ingress, s.Egress) }
