package inventory_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/emulated"
	"github.com/lightpath-net/lightpath/control/inventory"
)

// rig is an emulated switch that speaks a protocol, and a client of it.
type rig struct {
	*emulated.Switch
	client control.Switch
}

// start serves a protocol for a switch on this machine.
func start(t *testing.T, driver string, faults map[int]emulated.Fault) *rig {
	t.Helper()
	d, err := inventory.Lookup(driver)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	access := credentials(t, dir)
	s := emulated.New(16, time.Millisecond, faults)
	ctx, cancel := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	serving.Go(func() { d.Serve(ctx, listener, s, access) })
	list := "switches:\n- {name: a, driver: " + driver + ", address: \"" + listener.Addr().String() + "\", user: admin, secret_file: secret, tls: \"" + tlsOf(driver) + "\", ca_file: ca.pem, host_key_file: host.pub}\n"
	file := filepath.Join(dir, "switches.yaml")
	if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	parsed, err := inventory.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := parsed.Open([]string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		opened["a"].Close()
		cancel()
		serving.Wait()
	})
	return &rig{s, opened["a"]}
}

// TestEveryDriverSetsWhatItSays makes random changes through every protocol, and reads them back
// through the protocol and on the switch itself. Ports of others stay. It also sets 128 ports at
// once, which takes several commands.
func TestEveryDriverSetsWhatItSays(t *testing.T) {
	for _, driver := range inventory.Drivers() {
		t.Run(driver, func(t *testing.T) {
			r := start(t, driver, nil)
			if size, err := r.client.Size(t.Context()); err != nil || size != (control.Size{Ingress: 16, Egress: 16}) {
				t.Fatal(size, err)
			}
			rng := rand.New(rand.NewPCG(7, 7))
			up := control.State{}
			for range 20 {
				next := control.State{}
				in, out := rng.Perm(16), rng.Perm(16)
				for i := range rng.IntN(17) {
					next[in[i]+1] = out[i] + 17
				}
				if err := r.client.Change(t.Context(), control.Difference(up, next)); err != nil {
					t.Fatal(err)
				}
				read, err := r.client.State(t.Context())
				has, _ := r.Switch.State(t.Context())
				if err != nil || !read.Equal(next) || !has.Equal(next) {
					t.Fatalf("read %v, the switch has %v, want %v: %v", read, has, next, err)
				}
				up = next
			}
		})
	}
}

// TestEveryDriverTellsARefusalFromSilence: if a switch refuses, the driver returns a refusal and
// nothing changes. Silence is another error, after which the driver reconnects and reads the
// circuits that are up.
func TestEveryDriverTellsARefusalFromSilence(t *testing.T) {
	for _, driver := range inventory.Drivers() {
		t.Run(driver, func(t *testing.T) {
			t.Parallel() // as it waits most of the time
			r := start(t, driver, map[int]emulated.Fault{2: emulated.Refuse, 3: emulated.Hang, 4: emulated.Lose, 5: emulated.Break})
			limit := time.Minute
			change := func(in, out int) error {
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				return r.client.Change(ctx, control.Change{Connect: []control.Cross{{Ingress: in, Egress: out}}})
			}
			var refusal *control.Refusal
			if err := change(1, 17); err != nil {
				t.Fatal(err)
			}
			if err := change(2, 18); !errors.As(err, &refusal) {
				t.Errorf("a refusal is %v", err)
			}
			for i, want := range []control.State{{1: 17}, {1: 17, 4: 20}} {
				limit = 2 * time.Second // enough for a busy machine to carry the change out
				err := change(3+i, 19+i)
				limit = time.Minute
				if err == nil || errors.As(err, &refusal) || strings.Contains(err.Error(), "\n") {
					t.Errorf("silence is %v", err)
				}
				if up, err := r.client.State(t.Context()); err != nil || !up.Equal(want) {
					t.Errorf("after silence: %v, %v; want %v", up, err, want)
				}
			}
			if err := change(5, 21); !errors.As(err, &refusal) {
				t.Errorf("half a change is %v", err)
			}
		})
	}
}

// TestHostileListsGetOneLine: any error in a list of switches is one line.
func TestHostileListsGetOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "empty",
		"switches: []":                         "want 1 to",
		"switches: 3":                          "line 1",
		"switches:\n- {name: a}":               "address",
		"switches:\n- {name: a, address: h:1}": "driver",
		"switches:\n- {name: a, driver: telnet, address: h:1}":                                                  "telnet",
		"switches:\n- {name: a b, driver: scpi, address: h:1}":                                                  "name",
		"switches:\n- {name: a, driver: scpi, address: 'h:99999'}":                                              "address",
		"switches:\n- {name: a, driver: scpi, address: h:1, password: x}":                                       "password",
		"switches:\n- {name: a, driver: scpi, address: h:1, tls: maybe}":                                        "tls",
		"switches:\n- {name: a, driver: scpi, address: h:1, secret_file: a, secret_env: b}":                     "only one",
		"switches:\n- {name: a, driver: scpi, address: h:1}\n- {name: a, driver: scpi, address: h:2}":           "twice",
		"switches:\n- {name: a, driver: scpi, address: h:1}\n---\nswitches: []":                                 "one document",
		"switches:\n- {name: a, driver: sonic, address: f.json, user: x}":                                       "needs no user",
		"switches:\n- {name: a, driver: scpi, address: h:1}\n- {name: b, driver: scpi, address: 'H:1'}":         "a and b",
		"switches:\n- {name: a, driver: scpi, address: h}\n- {name: b, driver: gnmi, address: 'h:5025'}":        "a and b",
		"switches:\n- {name: a, driver: sonic, address: f.json}\n- {name: b, driver: sonic, address: ./f.json}": "a and b",
		"switches: &a [*a]":       "",
		"\x00":                    "",
		strings.Repeat("[", 9999): "",
	} {
		_, err := inventory.Parse([]byte(text))
		if err == nil || strings.ContainsAny(err.Error(), "\n\r") || !strings.Contains(err.Error(), want) || len(err.Error()) > 300 {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

// TestSecretsAreNotInErrors: a list names files and variables, and an error never has their
// content.
func TestSecretsAreNotInErrors(t *testing.T) {
	l, err := inventory.Parse([]byte("switches:\n- {name: a, driver: scpi, address: h, secret_env: LIGHTPATH_NO_SUCH}"))
	if err != nil || l.Entries[0].Address != "h:5025" {
		t.Fatal(l, err)
	}
	if _, err := l.Open([]string{"a"}); err == nil || !strings.Contains(err.Error(), "LIGHTPATH_NO_SUCH") {
		t.Error(err)
	}
	if _, err := l.Open([]string{"b"}); err == nil || !strings.Contains(err.Error(), "b") {
		t.Error(err)
	}
}

// TestTwoNamesOfAFileAreNoticed: two names for one file are detected, through a link and
// relative to the list's folder.
func TestTwoNamesOfAFileAreNoticed(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "f.json")
	if err := os.WriteFile(whole, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("f.json", filepath.Join(dir, "g.json")); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{whole, "g.json"} {
		list := filepath.Join(dir, "list.yaml")
		text := "switches:\n- {name: a, driver: sonic, address: f.json}\n- {name: b, driver: sonic, address: " + other + "}\n"
		if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := inventory.ReadFile(list); err == nil || !strings.Contains(err.Error(), "a and b are both at") {
			t.Errorf("%s: %v", other, err)
		}
	}
}

// FuzzParse: a list is read, or refused with a one-line error.
func FuzzParse(f *testing.F) {
	f.Add("switches:\n- {name: a, driver: scpi, address: h:1}")
	f.Add("switches: &a [*a]")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := inventory.Parse([]byte(text))
		if err == nil && len(l.Entries) == 0 || err != nil && strings.ContainsAny(err.Error(), "\n\r") {
			t.Fatalf("%q: %v, %v", text, l, err)
		}
	})
}
