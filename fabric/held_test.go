package fabric_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// TestWhatIsHeldIsNotThere: held GPUs take no part, held ports have no circuits, and ports that
// are lost without a port number are the last of the remaining ones.
func TestWhatIsHeldIsNotThere(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 6, 3
	for _, s := range [][2]string{{"switches", "rails"}, {"avoid", "port:2,port:2.2"}, {"held", "0-1,3.0,4.0-4"}} {
		err := f.Set(s[0], s[1])
		if wrong := s[0] == "held"; (err != nil) != wrong {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := f.Set("held", "0-1,3.0"); err != nil {
		t.Fatal(err)
	}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	if alive := f.Alive(); len(alive) != 4 || alive[0] != 2 {
		t.Errorf("%v take part", alive)
	}
	for _, c := range []struct {
		gpu, port int
		free      bool
	}{{0, 0, false}, {2, 0, true}, {2, 1, false}, {2, 2, false}, {3, 0, false}, {3, 1, true}, {4, 2, true}} {
		if err := f.Unplugged(c.gpu, c.port); (err == nil) != c.free {
			t.Errorf("port %d of GPU %d: %v", c.port, c.gpu, err)
		}
	}
	two := topology.New(6, "", []topology.Edge{{From: 3, To: 4, Count: 2}, {From: 4, To: 3, Count: 2}})
	circuits, err := f.SetUp(two)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range circuits {
		if c.From == 3 && c.FromPort == 0 || c.To == 3 && c.ToPort == 0 {
			t.Errorf("%+v is on a held port", c)
		}
	}
	if err := f.Fits(topology.New(6, "", []topology.Edge{{From: 3, To: 4, Count: 3}})); err == nil {
		t.Error("three circuits on two ports")
	}
	if err := f.Set("avoid", "none"); err != nil || f.Avoid.Held() != "0-1,3.0" {
		t.Errorf("held is %q after avoid none: %v", f.Avoid.Held(), err)
	}
}

// TestAFailedIslandHasNoHops: GPUs of an island whose switch has failed do not share it, and a
// symmetry that maps it to another is refused.
func TestAFailedIslandHasNoHops(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Island = 8, fabric.Island{Size: 4, Bandwidth: 7200 * units.Gbps}
	if err := f.Set("avoid", "island:1"); err != nil {
		t.Fatal(err)
	}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	if !f.SameIsland(0, 3) || f.SameIsland(4, 7) || f.SameIsland(3, 4) {
		t.Error("island 0 works, island 1 does not")
	}
	if f.KeepsIslands(topology.Translations{Dims: []int{8}, Stride: []int{4}}) {
		t.Error("a rotation takes an island that works to one that does not")
	}
	if flat := f.Flat(); flat.Validate() != nil || !flat.Avoid.IsZero() {
		t.Errorf("without islands, %q is left", flat.Avoid)
	}
	for text, want := range map[string]string{"island:2": "0..1", "island:x": "number"} {
		err := f.Set("avoid", text)
		if err == nil {
			err = f.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzHeld: any text is either refused in one line or survives writing and reading; any file
// that is accepted means what the text of the result says.
func FuzzHeld(f *testing.F) {
	for _, seed := range []string{"", "none", "0-15,20.1,21.1", "7", "3-1", "1.", ".1", "1.2.3", "65535-65536", "0-65535", "gpu,port\n7,1\n8\n",
		"gpu,port,switch\n0,0,3\n#x\n\n9,,\n", "gpu\n", "gpu,port\n-1,0\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, err := fabric.ParseHeld(text)
		switch {
		case err != nil && strings.ContainsAny(err.Error(), "\n\r"):
			t.Errorf("%q", err)
		case err == nil && text != "none" && read.Held() != text:
			t.Errorf("%q is written %q", text, read.Held())
		}
		listed, err := fabric.ReadHeldCSV("my.csv", strings.NewReader(text))
		if err != nil {
			if m := err.Error(); strings.ContainsAny(m, "\n\r") || !strings.HasPrefix(m, "my.csv:") {
				t.Errorf("%q", m)
			}
			return
		}
		if _, err := fabric.ParseHeld(listed); err != nil {
			t.Errorf("%q gives %q: %v", text, listed, err)
		}
	})
}

// Failures that code makes are those that users write.
func TestFailuresAreThoseThatUsersWrite(t *testing.T) {
	made := fabric.FailedGPU(5).And(fabric.FailedPort(7), fabric.FailedPortAt(7, 1), fabric.FailedSwitch(2), fabric.FailedIsland(3), fabric.FailedLink(3, 4, true), fabric.FailedLink(3, 4, false))
	read, err := fabric.ParseFailures("gpu:5,port:7,port:7.1,switch:2,island:3,link:3-4,link:3>4")
	if err != nil || !reflect.DeepEqual(made, read) {
		t.Errorf("%v, want %v; %v", made, read, err)
	}
	held, err := fabric.ParseHeld("4-7")
	if err != nil || !reflect.DeepEqual(fabric.HeldGPUs(4, 7), held) {
		t.Errorf("%v, want %v; %v", fabric.HeldGPUs(4, 7), held, err)
	}
	ring := topology.Torus(4)
	links, err := fabric.ParseFixed(topology.EdgesOf(ring).String(), nil)
	if err != nil || fabric.FixedOf(ring).String() != links.String() || !fabric.FixedOf(ring).Block().Equal(links.Block()) {
		t.Errorf("%v, want %v; %v", fabric.FixedOf(ring), links, err)
	}
}
