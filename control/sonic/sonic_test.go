package sonic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/sonic"
)

// fragment is a file of a switch with 4 times 4 ports, with a table that belongs to others.
const fragment = `{"DEVICE_METADATA":{"localhost":{"type":"SonicOCS","switch_type":"ocs"}},
"OCS_PORT":{"1A":{"label":"x"},"2A":{},"3A":{},"4A":{},"1B":{},"2B":{},"3B":{},"4B":{}},
"OCS_CROSS_CONNECT":{"1A-4B":{"a_side":"1A","b_side":"4B"},"2A-1B":{}}}`

func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "config_db.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestAFileHasWhatWasSet makes random changes, and reads them back through the driver and with a
// plain decoder. Entries of others in the file stay.
func TestAFileHasWhatWasSet(t *testing.T) {
	name := write(t, fragment)
	c := &sonic.Client{File: name}
	up, err := c.State(t.Context())
	if size, wrong := c.Size(t.Context()); err != nil || wrong != nil || size != (control.Size{Ingress: 4, Egress: 4}) || !up.Equal(control.State{1: 8, 2: 5}) {
		t.Fatal(up, size, err, wrong)
	}
	rng := rand.New(rand.NewPCG(2, 2))
	for range 50 {
		next := control.State{}
		in, out := rng.Perm(4), rng.Perm(4)
		for i := range rng.IntN(5) {
			next[in[i]+1] = out[i] + 5
		}
		if err := c.Change(t.Context(), control.Difference(up, next)); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var plain struct {
			Meta    map[string]map[string]string `json:"DEVICE_METADATA"`
			Ports   map[string]map[string]string `json:"OCS_PORT"`
			Crosses map[string]struct {
				A string `json:"a_side"`
				B string `json:"b_side"`
			} `json:"OCS_CROSS_CONNECT"`
		}
		if err := json.Unmarshal(data, &plain); err != nil {
			t.Fatal(err)
		}
		if plain.Meta["localhost"]["switch_type"] != "ocs" || plain.Ports["1A"]["label"] != "x" || len(plain.Ports) != 8 || len(plain.Crosses) != len(next) {
			t.Fatalf("%s", data)
		}
		for from, to := range next {
			x, there := plain.Crosses[fmt.Sprintf("%dA-%dB", from, to-4)]
			if !there || x.A != "" && x.A != fmt.Sprintf("%dA", from) || x.B != "" && x.B != fmt.Sprintf("%dB", to-4) {
				t.Fatalf("%v in %s", next, data)
			}
		}
		if read, err := c.State(t.Context()); err != nil || !read.Equal(next) {
			t.Fatal(read, err)
		}
		up = next
	}
}

// TestWhatAFileCannotHaveIsRefused: a state that a file cannot hold is refused, and the file
// stays unchanged.
func TestWhatAFileCannotHaveIsRefused(t *testing.T) {
	name := write(t, fragment)
	c := &sonic.Client{File: name}
	for _, x := range []control.Cross{{Ingress: 1, Egress: 5}, {Ingress: 3, Egress: 5}, {Ingress: 5, Egress: 6}, {Ingress: 3, Egress: 9}, {Ingress: 0, Egress: 6}} {
		var refusal *control.Refusal
		if err := c.Change(t.Context(), control.Change{Connect: []control.Cross{x}}); !errors.As(err, &refusal) {
			t.Errorf("%v: %v", x, err)
		}
	}
	if data, err := os.ReadFile(name); err != nil || string(data) != fragment {
		t.Error(string(data), err)
	}
	if _, err := (&sonic.Client{File: name + ".none"}).State(t.Context()); err == nil {
		t.Error("no file")
	}
	for text, want := range map[string]string{
		"":                                "",
		"[]":                              "",
		"{}":                              "OCS_PORT: missing",
		`{"OCS_PORT":{}}`:                 "some on each",
		`{"OCS_PORT":{"x":1}}`:            "not a port",
		`{"OCS_PORT":{"01A":{},"1B":{}}}`: "not a port",
		`{"OCS_PORT":{"1A":{},"1B":{}},"OCS_CROSS_CONNECT":{"1B-1A":{}}}`:                    "not a cross-connect",
		`{"OCS_PORT":{"1A":{},"1B":{}},"OCS_CROSS_CONNECT":{"1A-2B":{}}}`:                    "does not have",
		`{"OCS_PORT":{"1A":{},"1B":{}},"OCS_CROSS_CONNECT":{"1A-1B":{"a_side":"2A"}}}`:       "a_side",
		`{"OCS_PORT":{"1A":{},"2A":{},"1B":{}},"OCS_CROSS_CONNECT":{"1A-1B":{},"2A-1B":{}}}`: "twice",
		`{"OCS_PORT":{"1A":{},"1B":{}},"OCS_PORT":{"1A":{},"1B":{}}}`:                        "OCS_PORT",
	} {
		_, err := (&sonic.Client{File: write(t, text)}).State(t.Context())
		if err == nil || strings.ContainsAny(err.Error(), "\n\r") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

// FuzzParse: a file is read and survives writing and reading, or is refused with a one-line
// error.
func FuzzParse(f *testing.F) {
	f.Add([]byte(fragment))
	f.Add([]byte(`{"OCS_PORT":{"1A":{},"1B":{}},"OCS_CROSS_CONNECT":{"1A-1B":null}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := sonic.Again(data); err != nil && strings.ContainsAny(err.Error(), "\n\r") {
			t.Fatalf("%q: %v", data, err)
		}
	})
}
