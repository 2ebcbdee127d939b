package netconf

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/opticalswitch"
)

// Capabilities and namespaces.
const (
	base     = "urn:ietf:params:xml:ns:netconf:base:1.0"
	base10   = "urn:ietf:params:netconf:base:1.0"
	base11   = "urn:ietf:params:netconf:base:1.1"
	writable = "urn:ietf:params:netconf:capability:writable-running:1.0"
	rollback = "urn:ietf:params:netconf:capability:rollback-on-error:1.0"
)

// hello is the first message of both sides.
type hello struct {
	XMLName      xml.Name `xml:"urn:ietf:params:xml:ns:netconf:base:1.0 hello"`
	Capabilities []string `xml:"capabilities>capability"`
	Session      uint32   `xml:"session-id,omitempty"`
}

// knows reports whether a side has a capability.
func (h *hello) knows(capability string) bool {
	return slices.ContainsFunc(h.Capabilities, func(c string) bool { return strings.TrimSpace(c) == capability })
}

// empty is an element without content.
type empty struct{}

// datastore is what an operation is about; there is only one.
type datastore struct {
	Running *empty `xml:"running"`
}

// tree is the part of the model that is read or written.
type tree struct {
	Crosses *opticalswitch.CrossConnects `xml:"http://www.polatis.com/yang/optical-switch cross-connects"`
	Product *product                     `xml:"http://www.polatis.com/yang/optical-switch product-information"`
}

// product is the part of the model that names the switch.
type product struct {
	Manufacturer string `xml:"manufacturer,omitempty"`
	Model        string `xml:"model-name,omitempty"`
}

// filter asks for a part of the model.
type filter struct {
	Type string `xml:"type,attr,omitempty"`
	tree
}

// rpc is a request.
type rpc struct {
	XMLName   xml.Name `xml:"urn:ietf:params:xml:ns:netconf:base:1.0 rpc"`
	ID        string   `xml:"message-id,attr"`
	Get       *read    `xml:"get"`
	GetConfig *read    `xml:"get-config"`
	Edit      *edit    `xml:"edit-config"`
	Lock      *lock    `xml:"lock"`
	Unlock    *lock    `xml:"unlock"`
	Close     *empty   `xml:"close-session"`
}

type read struct {
	Source *datastore `xml:"source"`
	Filter *filter    `xml:"filter"`
}

type lock struct {
	Target datastore `xml:"target"`
}

type edit struct {
	Target  datastore `xml:"target"`
	Default string    `xml:"default-operation,omitempty"`
	Error   string    `xml:"error-option,omitempty"`
	Config  tree      `xml:"config"`
}

// reply is an answer.
type reply struct {
	XMLName xml.Name   `xml:"urn:ietf:params:xml:ns:netconf:base:1.0 rpc-reply"`
	ID      string     `xml:"message-id,attr"`
	OK      *empty     `xml:"ok"`
	Data    *tree      `xml:"data"`
	Errors  []rpcError `xml:"rpc-error"`
}

type rpcError struct {
	Type     string `xml:"error-type"`
	Tag      string `xml:"error-tag"`
	Severity string `xml:"error-severity"`
	Message  string `xml:"error-message"`
}

// refusal returns the refusal in an answer; nil if there is none. Warnings are not refusals.
func (r *reply) refusal() error {
	for _, e := range r.Errors {
		if e.Severity != "warning" {
			return &control.Refusal{Why: fmt.Sprintf("%.200s", strings.Join(strings.Fields(e.Tag+": "+e.Message), " "))}
		}
	}
	return nil
}

// decode reads a message, without the byte order mark and blanks around it.
func decode(message []byte, into any) error {
	if err := xml.Unmarshal(message, into); err != nil {
		return fmt.Errorf("%.200s", strings.Join(strings.Fields(err.Error()), " "))
	}
	return nil
}

// Operations on a pair.
const (
	opDelete  = "delete"
	opRemove  = "remove"
	opCreate  = "create"
	opReplace = "replace"
	opMerge   = "merge"
)

// editOf makes the edit of a change.
func editOf(c control.Change) *edit {
	goes := map[int]bool{}
	crosses := &opticalswitch.CrossConnects{}
	for _, x := range c.Disconnect {
		goes[x.Ingress] = true
	}
	moved := map[int]bool{}
	var made []opticalswitch.PairOf
	for _, x := range c.Connect {
		p := opticalswitch.NewPair(x)
		if p.Operation = opCreate; goes[x.Ingress] {
			p.Operation, moved[x.Ingress] = opReplace, true
		}
		made = append(made, p)
	}
	for _, x := range c.Disconnect {
		if !moved[x.Ingress] {
			p := opticalswitch.NewPair(control.Cross{Ingress: x.Ingress})
			p.Operation = opDelete
			crosses.Pairs = append(crosses.Pairs, p)
		}
	}
	crosses.Pairs = append(crosses.Pairs, made...)
	return &edit{Target: datastore{&empty{}}, Default: "none", Config: tree{Crosses: crosses}}
}

// applied returns the state after an edit, or the error of a pair that cannot be changed this
// way.
func (e *edit) applied(up control.State) (control.State, *rpcError) {
	next := control.State{}
	crosses := e.Config.Crosses
	if crosses == nil {
		return nil, &rpcError{Tag: "unknown-element", Message: "want cross-connects"}
	}
	switch crosses.Operation {
	case opReplace:
	case opDelete, opRemove:
		return next, nil
	default:
		for in, out := range up {
			next[in] = out
		}
	}
	standard := cmp.Or(e.Default, opMerge)
	seen := map[int]bool{}
	for _, p := range crosses.Pairs {
		x, how := p.Cross(), p.Operation
		how = cmp.Or(how, standard)
		if crosses.Operation == opReplace {
			how = opReplace
		}
		_, there := next[x.Ingress]
		switch {
		case x.Ingress == 0 || seen[x.Ingress]:
			return nil, &rpcError{Tag: "bad-element", Message: "a pair without ingress port, or one that occurs twice"}
		case how == opDelete && !there:
			return nil, &rpcError{Tag: "data-missing", Message: fmt.Sprintf("ingress port %d is not connected", x.Ingress)}
		case how == opDelete || how == opRemove:
			delete(next, x.Ingress)
		case how == "none":
		case x.Egress == 0:
			return nil, &rpcError{Tag: "missing-element", Message: "a pair without egress port"}
		case how == opCreate && there:
			return nil, &rpcError{Tag: "data-exists", Message: fmt.Sprintf("ingress port %d is connected", x.Ingress)}
		case how == opCreate || how == opReplace || how == opMerge:
			next[x.Ingress] = x.Egress
		default:
			return nil, &rpcError{Tag: "bad-attribute", Message: fmt.Sprintf("%.20q is not an operation", how)}
		}
		seen[x.Ingress] = true
	}
	if _, err := control.Up(next.Crosses()); err != nil {
		return nil, &rpcError{Tag: "in-use", Message: err.Error()}
	}
	return next, nil
}
