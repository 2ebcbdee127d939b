package gnmi

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/emulated"
)

// TestRequestsDoWhatAChangeDoes: a Set, written and read again, leads to the same state as the
// change. Module peers checks both sides against the libraries of gRPC and gNMI.
func TestRequestsDoWhatAChangeDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	draw := func() control.State {
		s, in, out := control.State{}, rng.Perm(6), rng.Perm(6)
		for i := range rng.IntN(7) {
			s[in[i]+1] = out[i] + 7
		}
		return s
	}
	for range 500 {
		from, to := draw(), draw()
		made, err := setOf(control.Difference(from, to))
		if err != nil {
			t.Fatal(err)
		}
		again, err := decodeSet(made.encode())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := again.applied(from); err != nil || !got.Equal(to) {
			t.Fatalf("from %v to %v: %v, %v", from, to, got, err)
		}
	}
}

// TestPathsBelowAPrefixAreWhole: a path is its prefix and its elements, because some clients
// name the container only once.
func TestPathsBelowAPrefixAreWhole(t *testing.T) {
	whole := pairPath(3)
	message := appendBytes(nil, setPrefix, path{elems: whole.elems[:1]}.encode())
	message = appendBytes(message, setDelete, path{elems: whole.elems[1:]}.encode())
	s, err := decodeSet(message)
	if err != nil || len(s.deletes) != 1 || s.deletes[0].String() != "/optical-switch:cross-connects/pair[ingress=3]" {
		t.Errorf("%v, %v", s, err)
	}
}

// TestCodesAreRefusalsOrNot: a code that means that the request was not executed is a refusal;
// other codes leave this open.
func TestCodesAreRefusalsOrNot(t *testing.T) {
	for status, refused := range map[string]bool{"9": true, "5": true, "16": true, "4": false, "14": false, "13": false, "2": false, "": false, "x": false} {
		var refusal *control.Refusal
		if err := judge(status, "a%0Ab"); err == nil || errors.As(err, &refusal) != refused || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", status, err)
		}
	}
	if err := judge("0", ""); err != nil {
		t.Error(err)
	}
}

// FuzzMessages: any input, framed or not, is answered or refused. The switch never uses a port
// twice, and a driver reads a state or an error.
func FuzzMessages(f *testing.F) {
	made, _ := setOf(control.Change{Connect: []control.Cross{{Ingress: 1, Egress: 5}}, Disconnect: []control.Cross{{Ingress: 2, Egress: 6}}})
	f.Add(made.encode(), "Set")
	f.Add(encodeGet(crossesPath), "Get")
	f.Add(encodeGet(pairPath(1)), "Get")
	f.Add(encodeValues(1, []update{{crossesPath, []byte(`{"pair":[{"ingress":1,"egress":5}]}`)}, {pairPath(2), []byte(`{"egress":6}`)}}), "Get")
	f.Fuzz(func(t *testing.T, message []byte, method string) {
		sw := emulated.New(4, 0, nil)
		answer, err := carry(t.Context(), method, message, sw)
		var refusal *control.Refusal
		var end *status
		if err != nil && !errors.As(err, &refusal) && !errors.As(err, &end) {
			t.Fatalf("%q: %v", message, err)
		}
		if err == nil {
			if again, err := unframe(bytes.NewReader(frame(answer))); err != nil || !bytes.Equal(again, answer) {
				t.Fatal(err)
			}
		}
		up, _ := sw.State(t.Context())
		if _, err := control.Up(up.Crosses()); err != nil {
			t.Fatalf("%q: %v", message, err)
		}
		if values, err := decodeValues(message); err == nil {
			if up, err := stateOf(values); err == nil {
				if _, err := control.Up(up.Crosses()); err != nil {
					t.Fatalf("%q: %v", message, err)
				}
			}
		}
		unframe(bytes.NewReader(message))
	})
}

// FuzzSubscribe: subscriptions and their answers are read, or refused as invalid messages. The
// server accepts the subscription that our client sends.
func FuzzSubscribe(f *testing.F) {
	f.Add(encodeSubscribe(crossesPath))
	f.Add(encodeSubscribe(pairPath(1)))
	f.Add(appendNumber(nil, answerSync, 1))
	f.Add(appendBytes(nil, answerUpdate, []byte{1}))
	f.Fuzz(func(t *testing.T, message []byte) {
		s, err := decodeSubscribe(message)
		if err == nil && s.check() == nil {
			again, err := decodeSubscribe(encodeSubscribe(s.paths[0]))
			if err != nil || again.check() != nil {
				t.Fatalf("%q: %v", message, err)
			}
		}
		if news, err := isNews(message); news && err == nil && len(message) == 0 {
			t.Fatal("nothing is news")
		}
	})
}
