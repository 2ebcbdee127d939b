// Package emulated is an optical switch without light: it stores its cross-connects, takes time
// to set them up, and fails on request. Packages scpi, restconf, netconf and gnmi have the faces
// through which clients reach it.
package emulated

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lightpath-net/lightpath/control"
)

// Fault is a way to fail at a change.
type Fault string

// The faults.
const (
	Refuse Fault = "refuse" // refuses and changes nothing
	Hang   Fault = "hang"   // changes nothing, and never answers
	Lose   Fault = "lose"   // makes the change, and never answers
	Forget Fault = "forget" // claims to have made the change, but has not
	Half   Fault = "half"   // claims so, but has made only the first half
	Break  Fault = "break"  // makes the first half, then refuses
)

// Faults lists the names of the faults.
func Faults() []string {
	return []string{string(Refuse), string(Hang), string(Lose), string(Forget), string(Half), string(Break)}
}

// ParseFaults reads faults with the numbers of the changes that they affect, from 1:
// "refuse:3,hang:5". The number 0 is every change.
func ParseFaults(words []string) (map[int]Fault, error) {
	faults := map[int]Fault{}
	for _, word := range words {
		name, number, _ := strings.Cut(word, ":")
		at, err := strconv.Atoi(number)
		known := false
		for _, f := range Faults() {
			known = known || f == name
		}
		if err != nil || at < 0 || !known {
			return nil, fmt.Errorf("%.40q is not a fault and the number of a change, e.g. %s:3; faults are %s", word, Refuse, strings.Join(Faults(), ", "))
		}
		if _, twice := faults[at]; twice {
			return nil, fmt.Errorf("change %d has two faults", at)
		}
		faults[at] = Fault(name)
	}
	return faults, nil
}

// Switch is an emulated switch. It is safe for concurrent use and executes one command at a
// time.
type Switch struct {
	size  control.Size
	setUp time.Duration

	mu      sync.Mutex
	up      control.State
	faults  map[int]Fault
	changes int
	seen    []control.State // after every command that changed something
	hear    map[chan struct{}]bool
}

// New returns a switch with the given number of ingress ports and as many egress ports, all
// unconnected.
func New(ports int, setUp time.Duration, faults map[int]Fault) *Switch {
	return &Switch{size: control.Size{Ingress: ports, Egress: ports}, setUp: setUp, up: control.State{}, faults: faults}
}

// Size returns the ports.
func (s *Switch) Size(context.Context) (control.Size, error) { return s.size, nil }

// State returns the cross-connects.
func (s *Switch) State(context.Context) (control.State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.up), nil
}

// Change makes a change, or fails as requested.
func (s *Switch) Change(ctx context.Context, c control.Change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	fault, ill := s.faults[s.changes]
	if !ill {
		fault = s.faults[0]
	}
	next := maps.Clone(s.up)
	for _, list := range [][]control.Cross{c.Disconnect, c.Connect} {
		for _, x := range list {
			if err := s.size.Check(x); err != nil {
				return &control.Refusal{Why: err.Error()}
			}
		}
	}
	if err := c.Apply(next); err != nil {
		return &control.Refusal{Why: err.Error()}
	}
	switch fault {
	case Refuse:
		return &control.Refusal{Why: "as asked"}
	case Hang:
		return control.ErrSilent
	case Forget:
		return s.wait(ctx)
	case Half, Break:
		next = s.half(c)
	}
	if err := s.wait(ctx); err != nil {
		return err
	}
	s.up = next
	s.tell()
	s.seen = append(s.seen, maps.Clone(next))
	switch fault {
	case Lose:
		return control.ErrSilent
	case Break:
		return &control.Refusal{Why: "broke down half-way, as asked"}
	}
	return nil
}

// half makes the first half of a change.
func (s *Switch) half(c control.Change) control.State {
	next := maps.Clone(s.up)
	steps := (len(c.Disconnect) + len(c.Connect)) / 2
	for _, x := range c.Disconnect[:min(steps, len(c.Disconnect))] {
		delete(next, x.Ingress)
	}
	for _, x := range c.Connect[:max(0, steps-len(c.Disconnect))] {
		next[x.Ingress] = x.Egress
	}
	return next
}

// wait takes the time that mirrors take to settle.
func (s *Switch) wait(ctx context.Context) error {
	if s.setUp == 0 {
		return nil
	}
	t := time.NewTimer(s.setUp)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close does nothing.
func (s *Switch) Close() error { return nil }

// Seen returns the states that the switch has had, after the first.
func (s *Switch) Seen() []control.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]control.State(nil), s.seen...)
}

// Ail makes the switch fail from now on; changes are counted anew.
func (s *Switch) Ail(faults map[int]Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults, s.changes = faults, 0
}

// Put changes the cross-connects as another client would.
func (s *Switch) Put(up control.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.up = maps.Clone(up)
	s.tell()
}

// tell notifies all listeners.
func (s *Switch) tell() {
	for c := range s.hear {
		select {
		case c <- struct{}{}:
		default: // the listener has a pending notification
		}
	}
}

// Tell implements control.Teller.
func (s *Switch) Tell(ctx context.Context, told func()) error {
	c := make(chan struct{}, 1)
	c <- struct{}{}
	s.mu.Lock()
	if s.hear == nil {
		s.hear = map[chan struct{}]bool{}
	}
	s.hear[c] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.hear, c)
		s.mu.Unlock()
	}()
	for {
		select {
		case <-c:
			told()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
