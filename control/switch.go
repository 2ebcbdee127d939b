package control

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Cross is a cross-connect: light that enters a switch at one port leaves it at another. Ports have
// the numbers that the switch gives them.
type Cross struct {
	Ingress int `json:"ingress"`
	Egress  int `json:"egress"`
}

// String returns the cross-connect as INGRESS->EGRESS.
func (c Cross) String() string { return fmt.Sprintf("%d->%d", c.Ingress, c.Egress) }

// State is the cross-connects of a switch: the egress port of every connected ingress port.
type State map[int]int

// Up returns the state with the given cross-connects. A port that occurs twice is an error.
func Up(crosses []Cross) (State, error) {
	s, fed := make(State, len(crosses)), make(map[int]bool, len(crosses))
	for _, c := range crosses {
		if _, twice := s[c.Ingress]; twice {
			return nil, fmt.Errorf("ingress port %d is connected twice", c.Ingress)
		}
		if fed[c.Egress] {
			return nil, fmt.Errorf("egress port %d is connected twice", c.Egress)
		}
		s[c.Ingress], fed[c.Egress] = c.Egress, true
	}
	return s, nil
}

// Crosses lists the cross-connects by their ingress ports.
func (s State) Crosses() []Cross {
	list := make([]Cross, 0, len(s))
	for _, in := range slices.Sorted(maps.Keys(s)) {
		list = append(list, Cross{in, s[in]})
	}
	return list
}

// Equal reports whether two states are the same.
func (s State) Equal(other State) bool { return maps.Equal(s, other) }

// Change is a change of a switch in one transaction. Disconnects come first, so that no connect
// ever needs a port that is still in use.
type Change struct {
	Disconnect []Cross `json:"disconnect"`
	Connect    []Cross `json:"connect"`
}

// Empty reports whether there is nothing to do.
func (c Change) Empty() bool { return len(c.Disconnect) == 0 && len(c.Connect) == 0 }

// Difference returns the smallest change from one state to another: it does not touch
// cross-connects that stay.
func Difference(from, to State) Change {
	var c Change
	for _, x := range from.Crosses() {
		if out, stays := to[x.Ingress]; !stays || out != x.Egress {
			c.Disconnect = append(c.Disconnect, x)
		}
	}
	for _, x := range to.Crosses() {
		if out, there := from[x.Ingress]; !there || out != x.Egress {
			c.Connect = append(c.Connect, x)
		}
	}
	return c
}

// Apply applies a change to a state, in its order. It returns an error for the first command
// that a switch would have to refuse: a port in use, or a missing cross-connect.
func (c Change) Apply(s State) error {
	for _, x := range c.Disconnect {
		if out, there := s[x.Ingress]; !there || out != x.Egress {
			return fmt.Errorf("%v is not connected", x)
		}
		delete(s, x.Ingress)
	}
	fed := make(map[int]int, len(s))
	for in, out := range s {
		fed[out] = in
	}
	for _, x := range c.Connect {
		if out, used := s[x.Ingress]; used {
			return fmt.Errorf("ingress port %d is in use: %v", x.Ingress, Cross{x.Ingress, out})
		}
		if in, used := fed[x.Egress]; used {
			return fmt.Errorf("egress port %d is in use: %v", x.Egress, Cross{in, x.Egress})
		}
		s[x.Ingress], fed[x.Egress] = x.Egress, x.Ingress
	}
	return nil
}

// Size is how many ports a switch has: ingress ports 1 to Ingress, followed by Egress egress
// ports.
type Size struct {
	Ingress int `json:"ingress"`
	Egress  int `json:"egress"`
}

// Check returns an error for a cross-connect whose ports the switch does not have.
func (s Size) Check(x Cross) error {
	if x.Ingress < 1 || x.Ingress > s.Ingress {
		return fmt.Errorf("%d is not an ingress port in 1..%d", x.Ingress, s.Ingress)
	}
	if x.Egress <= s.Ingress || x.Egress > s.Ingress+s.Egress {
		return fmt.Errorf("%d is not an egress port in %d..%d", x.Egress, s.Ingress+1, s.Ingress+s.Egress)
	}
	return nil
}

// Switch is an optical switch. Drivers connect on the first call, and again after an error. Only
// one goroutine at a time may call methods.
type Switch interface {
	// Size asks for the ports.
	Size(ctx context.Context) (Size, error)
	// State reads the cross-connects.
	State(ctx context.Context) (State, error)
	// Change makes a change. The error is a *Refusal if the switch refused. After any other
	// error it is unknown what was done, and after a refusal a part may have been done; State
	// shows the result.
	Change(ctx context.Context, c Change) error
	// Close ends the connection.
	Close() error
}

// Refusal is the answer of a switch that refuses a command.
type Refusal struct{ Why string }

// Error says why.
func (r *Refusal) Error() string { return "refused: " + r.Why }

// ErrSilent is the error of an emulated switch that does not answer; its faces then do not
// answer, either.
var ErrSilent = errors.New("no answer")

// List writes cross-connects in one line, at most a few of them.
func List(crosses []Cross) string {
	const most = 8
	var words []string
	for i, c := range crosses {
		if i == most {
			words = append(words, fmt.Sprintf("and %d more", len(crosses)-most))
			break
		}
		words = append(words, c.String())
	}
	return strings.Join(words, ", ")
}
