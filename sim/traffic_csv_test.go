package sim_test

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/simtest"
)

// readTraffic reads a scenario that has only flows.
func readTraffic(r io.Reader, nodes int) ([]sim.Flow, error) {
	s, err := sim.ReadScenario(r, nodes)
	if err != nil {
		return nil, err
	}
	return s.Flows, nil
}

func TestReadTraffic(t *testing.T) {
	got, err := readTraffic(strings.NewReader("src,dst,bytes,start_ns\n0,1,4096,0\n\n3,2,1,12.345\n"), 4)
	want := []sim.Flow{{Src: 0, Dst: 1, Bytes: 4096}, {Src: 3, Dst: 2, Bytes: 1, Start: 12345}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

// badTraffic are files that are refused, with their errors.
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
		_, err := readTraffic(strings.NewReader(bad.text), 4)
		if err == nil || !strings.HasPrefix(err.Error(), bad.want) {
			t.Errorf("%q: %v; want %q", bad.text, err, bad.want)
		}
	}
}

// full is a disk without room.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWritersReportErrors(t *testing.T) {
	flows := simtest.AllToAll(40, 1)
	trace := sim.NewTrace(full{})
	r := traffic(t, network(t, "BiRing(2,40)"), flows, sim.Options{Observer: trace})
	if err := trace.Close(); !errors.Is(err, errFull) {
		t.Error(err)
	}
	if err := sim.WriteLinks(full{}, r); !errors.Is(err, errFull) {
		t.Error(err)
	}
}
