// Package gnmi drives optical switches by gNMI (version 0.10) with the model optical-switch, and
// is the face of an emulated switch that speaks it. OpenConfig has no model of such switches, so
// this one, which Polatis publishes for other protocols, stands in:
// cross-connects/pair[ingress=N].
//
// A change is one Set, which by gNMI is one transaction: it deletes pairs, and replaces pairs
// that are new or have another egress port. Subscribe reports changes of all cross-connects.
//
// gRPC is HTTP/2 with a few headers, and gNMI needs only a few small messages, so this package
// encodes them itself on net/http: the libraries of gRPC and gNMI would add 9 MB to the program.
// Module peers, beside this package, talks to both.
package gnmi

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lightpath-net/lightpath/control/opticalswitch"
)

// elem is a part of a path.
type elem struct {
	name string
	keys map[string]string
}

// path leads to a part of the model.
type path struct {
	origin string
	elems  []elem
}

// crossesPath leads to all cross-connects, pairPath to that of an ingress port, productPath to the
// product.
var (
	crossesPath = path{elems: []elem{{name: opticalswitch.Module + ":" + opticalswitch.Crosses}}}
	productPath = path{elems: []elem{{name: opticalswitch.Module + ":" + opticalswitch.Product}}}
)

func pairPath(ingress int) path {
	return path{elems: []elem{crossesPath.elems[0], {name: opticalswitch.Pair, keys: map[string]string{opticalswitch.Ingress: strconv.Itoa(ingress)}}}}
}

// String writes a path as people do.
func (p path) String() string {
	var text strings.Builder
	for _, e := range p.elems {
		text.WriteString("/" + e.name)
		for _, k := range slices.Sorted(maps.Keys(e.keys)) {
			fmt.Fprintf(&text, "[%s=%s]", k, e.keys[k])
		}
	}
	return text.String()
}

// is reports whether the element at a place has a name, with or without its module.
func (p path) is(place int, name string) bool {
	return place < len(p.elems) && strings.TrimPrefix(p.elems[place].name, opticalswitch.Module+":") == name
}

// under returns a path below a prefix.
func (p path) under(prefix path) path {
	return path{origin: p.origin, elems: append(slices.Clone(prefix.elems), p.elems...)}
}

// update is a path and the JSON of its value.
type update struct {
	path path
	json []byte
}

// Numbers of fields, as gnmi.proto has them.
const (
	pathOrigin, pathElem                        = 2, 3
	elemName, elemKey                           = 1, 2
	keyName, keyValue                           = 1, 2
	updatePath, updateVal                       = 1, 3
	valString, valUint, valJSON, valIETF        = 1, 3, 10, 11
	getPrefix, getPath, getEncoding             = 1, 2, 5
	getNotification                             = 1
	noteTimestamp, notePrefix, noteUpdate       = 1, 2, 4
	setPrefix, setDelete, setReplace, setUpdate = 1, 2, 3, 4
	setResponse, setTimestamp                   = 2, 4
	resultPath, resultOp                        = 2, 4
	opDelete, opReplace, opUpdate               = 1, 2, 3
	encodingIETF                                = 4
	capModels, capEncodings, capVersion         = 1, 2, 3
	modelName, modelOrganization, modelVersion  = 1, 2, 3
)

// errMessage is the error for bytes that are not a message.
var errMessage = errors.New("not a message of gNMI")

// fields calls visit with every field of a message.
func fields(message []byte, visit func(number protowire.Number, kind protowire.Type, data []byte, value uint64) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return errMessage
		}
		message = message[n:]
		var data []byte
		var value uint64
		switch kind {
		case protowire.BytesType:
			data, n = protowire.ConsumeBytes(message)
		case protowire.VarintType:
			value, n = protowire.ConsumeVarint(message)
		default:
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			return errMessage
		}
		message = message[n:]
		if err := visit(number, kind, data, value); err != nil {
			return err
		}
	}
	return nil
}

func appendBytes(to []byte, number protowire.Number, data []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, number, protowire.BytesType), data)
}

func appendNumber(to []byte, number protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(to, number, protowire.VarintType), value)
}

// encode writes a path.
func (p path) encode() (message []byte) {
	if p.origin != "" {
		message = appendBytes(message, pathOrigin, []byte(p.origin))
	}
	for _, e := range p.elems {
		one := appendBytes(nil, elemName, []byte(e.name))
		for _, k := range slices.Sorted(maps.Keys(e.keys)) {
			one = appendBytes(one, elemKey, appendBytes(appendBytes(nil, keyName, []byte(k)), keyValue, []byte(e.keys[k])))
		}
		message = appendBytes(message, pathElem, one)
	}
	return message
}

// decodePath reads a path.
func decodePath(message []byte) (p path, err error) {
	err = fields(message, func(number protowire.Number, kind protowire.Type, data []byte, _ uint64) error {
		switch {
		case number == pathOrigin && kind == protowire.BytesType:
			p.origin = string(data)
		case number == pathElem && kind == protowire.BytesType:
			e, err := decodeElem(data)
			if err != nil {
				return err
			}
			p.elems = append(p.elems, e)
		}
		return nil
	})
	return p, err
}

func decodeElem(message []byte) (e elem, err error) {
	e.keys = map[string]string{}
	err = fields(message, func(number protowire.Number, _ protowire.Type, data []byte, _ uint64) error {
		switch number {
		case elemName:
			e.name = string(data)
		case elemKey:
			var name, value string
			if err := fields(data, func(number protowire.Number, _ protowire.Type, data []byte, _ uint64) error {
				switch number {
				case keyName:
					name = string(data)
				case keyValue:
					value = string(data)
				}
				return nil
			}); err != nil {
				return err
			}
			e.keys[name] = value
		}
		return nil
	})
	return e, err
}

// encode writes an update, with its value as JSON of RFC 7951.
func (u update) encode() []byte {
	return appendBytes(appendBytes(nil, updatePath, u.path.encode()), updateVal, appendBytes(nil, valIETF, u.json))
}

// decodeUpdate reads an update. A value that is a number or a string becomes JSON.
func decodeUpdate(message []byte) (u update, err error) {
	err = fields(message, func(number protowire.Number, _ protowire.Type, data []byte, _ uint64) error {
		switch number {
		case updatePath:
			u.path, err = decodePath(data)
			return err
		case updateVal:
			return fields(data, func(number protowire.Number, kind protowire.Type, data []byte, value uint64) error {
				switch {
				case kind == protowire.BytesType && (number == valJSON || number == valIETF):
					u.json = data
				case kind == protowire.BytesType && number == valString:
					u.json = strconv.AppendQuote(nil, string(data))
				case kind == protowire.VarintType && number == valUint:
					u.json = strconv.AppendUint(nil, value, 10)
				}
				return nil
			})
		}
		return nil
	})
	return u, err
}

// set is a request to change something.
type set struct {
	deletes           []path
	replaces, updates []update
}

// encode writes the request.
func (s set) encode() (message []byte) {
	for _, p := range s.deletes {
		message = appendBytes(message, setDelete, p.encode())
	}
	for _, u := range s.replaces {
		message = appendBytes(message, setReplace, u.encode())
	}
	for _, u := range s.updates {
		message = appendBytes(message, setUpdate, u.encode())
	}
	return message
}

// decodeSet reads the request; its paths are those below its prefix.
func decodeSet(message []byte) (s set, err error) {
	var prefix path
	err = fields(message, func(number protowire.Number, _ protowire.Type, data []byte, _ uint64) error {
		switch number {
		case setPrefix:
			prefix, err = decodePath(data)
			return err
		case setDelete:
			p, err := decodePath(data)
			s.deletes = append(s.deletes, p)
			return err
		case setReplace, setUpdate:
			u, err := decodeUpdate(data)
			if number == setReplace {
				s.replaces = append(s.replaces, u)
			} else {
				s.updates = append(s.updates, u)
			}
			return err
		}
		return nil
	})
	for i := range s.deletes {
		s.deletes[i] = s.deletes[i].under(prefix)
	}
	for _, list := range [][]update{s.replaces, s.updates} {
		for i := range list {
			list[i].path = list[i].path.under(prefix)
		}
	}
	return s, err
}

// encodeGet writes a request to read a path.
func encodeGet(p path) []byte {
	return appendNumber(appendBytes(nil, getPath, p.encode()), getEncoding, encodingIETF)
}

// decodeGet reads such a request, which may be for several paths.
func decodeGet(message []byte) (paths []path, err error) {
	var prefix path
	err = fields(message, func(number protowire.Number, _ protowire.Type, data []byte, _ uint64) error {
		switch number {
		case getPrefix:
			prefix, err = decodePath(data)
			return err
		case getPath:
			p, err := decodePath(data)
			paths = append(paths, p)
			return err
		}
		return nil
	})
	for i := range paths {
		paths[i] = paths[i].under(prefix)
	}
	return paths, err
}

// encodeValues writes what was read.
func encodeValues(now int64, values []update) (message []byte) {
	for _, u := range values {
		note := appendBytes(appendNumber(nil, noteTimestamp, uint64(now)), noteUpdate, u.encode())
		message = appendBytes(message, getNotification, note)
	}
	return message
}

// decodeValues reads what was read.
func decodeValues(message []byte) (values []update, err error) {
	err = fields(message, func(number protowire.Number, _ protowire.Type, data []byte, _ uint64) error {
		if number != getNotification {
			return nil
		}
		var prefix path
		from := len(values)
		err := fields(data, func(number protowire.Number, _ protowire.Type, data []byte, _ uint64) error {
			switch number {
			case notePrefix:
				prefix, err = decodePath(data)
				return err
			case noteUpdate:
				u, err := decodeUpdate(data)
				values = append(values, u)
				return err
			}
			return nil
		})
		for i := range values[from:] {
			values[from+i].path = values[from+i].path.under(prefix)
		}
		return err
	})
	return values, err
}

// encodeDone writes the answer to a request that was executed.
func encodeDone(now int64, s set) (message []byte) {
	result := func(p path, op uint64) {
		message = appendBytes(message, setResponse, appendNumber(appendBytes(nil, resultPath, p.encode()), resultOp, op))
	}
	for _, p := range s.deletes {
		result(p, opDelete)
	}
	for _, u := range s.replaces {
		result(u.path, opReplace)
	}
	for _, u := range s.updates {
		result(u.path, opUpdate)
	}
	return appendNumber(message, setTimestamp, uint64(now))
}

// encodeCapabilities writes the capabilities of the switch.
func encodeCapabilities() []byte {
	model := appendBytes(nil, modelName, []byte(opticalswitch.Module))
	model = appendBytes(model, modelOrganization, []byte("Polatis Limited"))
	model = appendBytes(model, modelVersion, []byte("2018-03-22"))
	message := appendNumber(appendBytes(nil, capModels, model), capEncodings, encodingIETF)
	return appendBytes(message, capVersion, []byte("0.10.0"))
}
