package sim_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/sim"
)

func TestReadTraffic(t *testing.T) {
	got, err := sim.ReadTraffic(strings.NewReader("src,dst,bytes,start_ns\n0,1,4096,0\n\n3,2,1,12.345\n"), 4)
	want := []sim.Flow{{Src: 0, Dst: 1, Bytes: 4096}, {Src: 3, Dst: 2, Bytes: 1, Start: 12345}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

// badTraffic are files that are refused, and what the error says.
var badTraffic = []struct{ text, want string }{
	{"", "line 1: empty"},
	{"0,1,2,3\n", "line 1: header"},
	{"src,dst,bytes\n", "line 1: header"},
	{"src,dst,bytes,start_ns\n0,1,2\n", "line 2: 3 fields"},
	{"src,dst,bytes,start_ns\n0,1,2,3,4\n", "line 2: 5 fields"},
	{"src,dst,bytes,start_ns\n0,1,2,0\n0,4,2,0\n", "line 3: dst 4 is not one of the nodes 0 to 3"},
	{"src,dst,bytes,start_ns\n-1,1,2,0\n", "line 2: src \"-1\""},
	{"src,dst,bytes,start_ns\nx,1,2,0\n", "line 2: src \"x\""},
	{"src,dst,bytes,start_ns\n0,1,4KiB,0\n", "line 2: bytes \"4KiB\""},
	{"src,dst,bytes,start_ns\n0,1,99999999999999999999,0\n", "line 2: bytes"},
	{"src,dst,bytes,start_ns\n0,1,2,-1\n", "line 2: start_ns \"-1\""},
	{"src,dst,bytes,start_ns\n0,1,2,1.0001\n", "line 2: start_ns \"1.0001\""},
	{"src,dst,bytes,start_ns\n0,1,2,9000000000000000\n", "line 2: start"},
	{"src,dst,bytes,start_ns\n\n\n0,1,2,\"\n", "line 4:"},
	{"src,dst,bytes,start_ns\n0,\"1\n\",2,0\n", "line 2: dst"},
}

func TestReadTrafficNamesTheLine(t *testing.T) {
	for _, bad := range badTraffic {
		_, err := sim.ReadTraffic(strings.NewReader(bad.text), 4)
		if err == nil || !strings.HasPrefix(err.Error(), bad.want) {
			t.Errorf("%q: %v; want %q", bad.text, err, bad.want)
		}
	}
}

// FuzzTraffic: whatever the text, reading it does not panic, an error is one line that
// names a line, and what was read can be written and read again.
func FuzzTraffic(f *testing.F) {
	for _, bad := range badTraffic {
		f.Add([]byte(bad.text))
	}
	f.Add([]byte("src,dst,bytes,start_ns\r\n0,1,1,0.5\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		flows, err := sim.ReadTraffic(bytes.NewReader(data), 4)
		if err != nil {
			if m := err.Error(); !strings.HasPrefix(m, "line ") || strings.ContainsAny(m, "\n\r") {
				t.Errorf("%q", m)
			}
			return
		}
		var text bytes.Buffer
		if err := sim.WriteTraffic(&text, flows); err != nil {
			t.Fatal(err)
		}
		again, err := sim.ReadTraffic(&text, 4)
		if err != nil || !reflect.DeepEqual(again, flows) {
			t.Errorf("%+v, written and read %+v, %v", flows, again, err)
		}
	})
}

// full is a disk without room.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWritersReportErrors(t *testing.T) {
	flows := sim.AllToAll(40, 1)
	if err := sim.WriteTraffic(full{}, flows); !errors.Is(err, errFull) {
		t.Error(err)
	}
	trace := sim.NewTrace(full{})
	r := traffic(t, network(t, "BiRing(2,40)"), flows, sim.Options{Observer: trace})
	if err := trace.Close(); !errors.Is(err, errFull) {
		t.Error(err)
	}
	if err := sim.WriteLinks(full{}, r); !errors.Is(err, errFull) {
		t.Error(err)
	}
}
