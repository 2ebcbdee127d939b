package gnmi

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/opticalswitch"
)

// Port is the TCP port of gNMI.
const Port = 9339

// Client is a switch that speaks gNMI.
type Client struct {
	Address, User, Secret string
	TLS                   *tls.Config // nil: none

	http *http.Client
}

// get reads a path.
func (c *Client) get(ctx context.Context, p path) ([]update, error) {
	got, err := c.call(ctx, "Get", encodeGet(p))
	if err != nil {
		return nil, err
	}
	return decodeValues(got)
}

// Size reads the number of ports in the name of the product.
func (c *Client) Size(ctx context.Context) (control.Size, error) {
	values, err := c.get(ctx, productPath)
	if err != nil {
		return control.Size{}, err
	}
	for _, v := range values {
		var product map[string]any
		if json.Unmarshal(v.json, &product) != nil {
			continue
		}
		for _, name := range []string{opticalswitch.ModelName, opticalswitch.Module + ":" + opticalswitch.ModelName} {
			if model, ok := product[name].(string); ok {
				return opticalswitch.SizeOf(model)
			}
		}
	}
	return control.Size{}, errors.New("says nothing of its product")
}

// State reads the cross-connects.
func (c *Client) State(ctx context.Context) (control.State, error) {
	values, err := c.get(ctx, crossesPath)
	var refusal *control.Refusal
	if errors.As(err, &refusal) && isCode(refusal, codeNotFound) { // there are none
		return control.State{}, nil
	}
	if err != nil {
		return nil, err
	}
	return stateOf(values)
}

// isCode reports whether a refusal has a code.
func isCode(r *control.Refusal, code int) bool {
	var got int
	n, _ := fmt.Sscanf(r.Why, "code %d,", &got)
	return n == 1 && got == code
}

// decode reads the value at the path of the container, with or without the container's name
// around it.
func decode(value []byte) (control.State, error) {
	if up, err := opticalswitch.DecodeContainer(value); err == nil {
		return up, nil
	}
	return opticalswitch.DecodeJSON(value)
}

// stateOf reads the cross-connects from values: the container as a whole, or pairs one by one.
func stateOf(values []update) (control.State, error) {
	var list []control.Cross
	for _, v := range values {
		if len(v.path.elems) == 1 && v.path.is(0, opticalswitch.Crosses) {
			up, err := decode(v.json)
			if err != nil {
				return nil, fmt.Errorf("cross-connects: %w", err)
			}
			list = append(list, up.Crosses()...)
			continue
		}
		x, err := crossOf(v)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return control.Up(list)
}

// crossOf reads a pair: its ingress port is in the path.
func crossOf(u update) (control.Cross, error) {
	ingress, err := ingressOf(u.path)
	if err != nil {
		return control.Cross{}, err
	}
	var pair opticalswitch.PairOf
	if err := json.Unmarshal(u.json, &pair); err != nil {
		return control.Cross{}, fmt.Errorf("%v: %.100s", u.path, err.Error())
	}
	x := pair.Cross()
	if x.Egress == 0 || x.Ingress != 0 && x.Ingress != ingress {
		return control.Cross{}, fmt.Errorf("%v: not a pair of this ingress port", u.path)
	}
	x.Ingress = ingress
	return x, nil
}

// ingressOf reads the ingress port in the path of a pair.
func ingressOf(p path) (int, error) {
	var pair opticalswitch.PairOf
	if len(p.elems) != 2 || !p.is(0, opticalswitch.Crosses) || !p.is(1, opticalswitch.Pair) {
		return 0, fmt.Errorf("%v is not the path of a pair", p)
	}
	text, err := json.Marshal(map[string]string{opticalswitch.Ingress: p.elems[1].keys[opticalswitch.Ingress]})
	if err == nil {
		err = json.Unmarshal(text, &pair)
	}
	if err != nil {
		return 0, fmt.Errorf("%v: %.100s", p, err.Error())
	}
	return int(pair.Ingress), nil
}

// setOf makes the request of a change.
func setOf(c control.Change) (s set, err error) {
	made := map[int]bool{}
	for _, x := range c.Connect {
		made[x.Ingress] = true
		text, err := json.Marshal(opticalswitch.NewPair(x))
		if err != nil {
			return s, err
		}
		s.replaces = append(s.replaces, update{pairPath(x.Ingress), text})
	}
	for _, x := range c.Disconnect {
		if !made[x.Ingress] {
			s.deletes = append(s.deletes, pairPath(x.Ingress))
		}
	}
	return s, nil
}

// Change makes a change.
func (c *Client) Change(ctx context.Context, change control.Change) error {
	s, err := setOf(change)
	if err != nil {
		return err
	}
	_, err = c.call(ctx, "Set", s.encode())
	return err
}

// Close ends connections; the next request opens new ones.
func (c *Client) Close() error {
	if c.http != nil {
		c.http.CloseIdleConnections()
	}
	return nil
}
