package layout_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/topology"
)

func plug(t *testing.T, text string, nodes, ports int) *layout.Plugging {
	t.Helper()
	l, err := layout.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := l.Plug(nodes, ports)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TPU v4: 64 cubes of 4x4x4 chips, 48 switches with 128 ports in use (Jouppi et al., ISCA 2023).
func TestCubesOfTPUv4(t *testing.T) {
	p := plug(t, "cubes:4x4x4", 4096, 3)
	if p.Switches() != 48 || p.Radix() != 128 || p.Fibres() != 2*48*128 {
		t.Errorf("%d switches of %d ports, %d fibres; want 48 of 128", p.Switches(), p.Radix(), p.Fibres())
	}
	plugged := map[int]int{}
	for u := range 64 {
		plugged[p.Plugged(u)]++
	}
	// The inside, faces, edges and corners of a cube.
	if want := map[int]int{0: 8, 1: 24, 2: 24, 3: 8}; fmt.Sprint(plugged) != fmt.Sprint(want) {
		t.Errorf("chips by ports: %v; want %v", plugged, want)
	}
}

func TestSizesOfLayouts(t *testing.T) {
	for _, c := range []struct {
		text                           string
		nodes, ports                   int
		switches, radix, fibres, least int
	}{
		{"rails", 64, 4, 4, 64, 512, 4},
		{"8x8:2,2", 64, 4, 32, 8, 512, 4},
		{"8x8", 64, 3, 24, 8, 384, 3},
		{"2x4x8:1,1,2", 64, 4, 32 + 16 + 16, 8, 512, 4},
		{"cubes:1x1x1", 8, 6, 3, 16, 96, 6},
		{"table:0,1;0,1;0,-", 3, 2, 2, 3, 10, 1},
	} {
		p := plug(t, c.text, c.nodes, c.ports)
		if p.Switches() != c.switches || p.Radix() != c.radix || p.Fibres() != c.fibres || p.Plugged(c.nodes-1) != c.least {
			t.Errorf("%s: %d switches, radix %d, %d fibres, %d ports of the last", c.text, p.Switches(), p.Radix(), p.Fibres(), p.Plugged(c.nodes-1))
		}
	}
}

// Layouts that are wrong, or do not match their fabric, are refused in one line.
func TestBadLayouts(t *testing.T) {
	for text, want := range map[string]string{
		"rail":              "unknown layout",
		"4y4":               "unknown layout",
		"4x":                `"" is not a number in 2..65536`,
		"4x1":               `"1" is not a number in 2..65536`,
		"4x4:1":             "ports for 1 digits of 2",
		"4x4:0,1":           `"0" is not a number`,
		"256x256x2":         "more than 65536",
		"cubes:4x4":         "a cube has three sides",
		"table:0,x":         `GPU 0: "x" is not a switch`,
		"4x4 rails":         `"4x4 rails"`,
		"99999999999999x22": "is not a number",
	} {
		if _, err := layout.Parse(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"4x4":                             "4x4 is for 16 GPUs, the fabric has 12",
		"3x4:2,2":                         "3x4:2,2 shares out 4 ports, a GPU has 3",
		"2x2x3:1,1,2":                     "shares out 4 ports",
		"cubes:2x2x2":                     "a multiple of 8 GPUs, the fabric has 12",
		"cubes:1x2x2":                     "needs 4 ports, a GPU has 3",
		"table:0;0;0;0;0;0;0;0;0;0;0;0;0": "GPU 12 is plugged in, the fabric has GPUs 0..11",
		"table:0,1,2,3":                   "port 3 of GPU 0 is plugged in, a GPU has ports 0..2",
	} {
		l, err := layout.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Plug(12, 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
}

func TestBadFilesNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "no port is plugged in",
		"gpu,port\n":                            "plug.csv:1: \"gpu,port\"; want the header gpu,port,switch",
		"gpu,port,switch\n0,0,1\n0,0,2\n":       "plug.csv:3: port 0 of GPU 0 is listed twice",
		"gpu,port,switch\n0,0\n":                "plug.csv:2: \"0,0\" has 2 fields",
		"gpu,port,switch\n0,0,\n":               `plug.csv:2: "" is not a switch`,
		"gpu,port,switch\n-1,0,0\n":             `plug.csv:2: "-1" is not a GPU in 0..65535`,
		"gpu,port,switch\n0,2000,0\n":           `plug.csv:2: "2000" is not a port in 0..1023`,
		"gpu,port,switch\n# nothing\n\n":        "no port is plugged in",
		"gpu,port,switch\n0,0,0\n65536,0,0\n":   "plug.csv:3:",
		"gpu,port,switch\n0,0,0\n1,0,4194304\n": "plug.csv:3:",
	} {
		if _, err := layout.ReadCSV("plug.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}

// A plugging that is written and read again is the same.
func TestFilesSayTheSame(t *testing.T) {
	for _, text := range []string{"rails", "3x4", "cubes:2x3x2", "table:0,1;-,1;4"} {
		p := plug(t, text, 12, 3)
		var file strings.Builder
		if err := p.WriteCSV(&file); err != nil {
			t.Fatal(err)
		}
		l, err := layout.ReadCSV("plug.csv", strings.NewReader(file.String()))
		if err != nil {
			t.Fatal(err)
		}
		again, err := l.Plug(12, 3)
		if err != nil {
			t.Fatal(err)
		}
		for u := range 12 {
			for port := range 3 {
				if p.Switch(u, port) != again.Switch(u, port) {
					t.Errorf("%s: port %d of GPU %d is on %d, then on %d", text, port, u, p.Switch(u, port), again.Switch(u, port))
				}
			}
		}
		if reread, err := layout.Parse(l.String()); err != nil || !reread.Equal(l) {
			t.Errorf("%s: %v, %q", text, err, reread)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"ideal", "rails", "8x8:2,2", "cubes:4x4x4", "table:0,1;-,1;2", "2x2x2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := layout.Parse(text)
		if err != nil {
			return
		}
		again, err := layout.Parse(l.String())
		if err != nil || !again.Equal(l) {
			t.Fatalf("%q is written %q: %v", text, l, err)
		}
		if !l.IsZero() {
			if p, err := l.Plug(16, 4); err == nil && p.Fibres() > 2*16*4 {
				t.Fatalf("%q: %d fibres", text, p.Fibres())
			}
		}
	})
}

func FuzzReadCSV(f *testing.F) {
	f.Add("gpu,port,switch\n0,0,0\n1,0,0\n")
	f.Add("gpu,port,switch\n0,1,3\n\n#\n0,0,3\n")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := layout.ReadCSV("f", strings.NewReader(text))
		if err != nil {
			return
		}
		if again, err := layout.Parse(l.String()); err != nil || !again.Equal(l) {
			t.Fatalf("%q is written %q: %v", text, l, err)
		}
	})
}

// drawn returns random circuits with at most `ports` into and out of each GPU.
func drawn(n, ports int, twoWay bool, allowed func(u, v int) bool, random *rand.Rand) *topology.Graph {
	out, in := make([]int, n), make([]int, n)
	counts := map[[2]int]int{}
	for range 6 * n * ports {
		u, v := random.IntN(n), random.IntN(n)
		switch {
		case u == v || !allowed(u, v) || out[u] == ports || in[v] == ports:
		case !twoWay:
			counts[[2]int{u, v}]++
			out[u]++
			in[v]++
		case out[v] < ports && in[u] < ports:
			counts[[2]int{u, v}]++
			counts[[2]int{v, u}]++
			out[u], in[v], out[v], in[u] = out[u]+1, in[v]+1, out[v]+1, in[u]+1
		}
	}
	var edges []topology.Edge
	for u := range n {
		for v := range n {
			if c := counts[[2]int{u, v}]; c > 0 {
				edges = append(edges, topology.Edge{From: u, To: v, Count: c})
			}
		}
	}
	return topology.New(n, "drawn", edges)
}

// checkAssignment compares an assignment with the plugging: every circuit is assigned, to fibres
// of its own, on one switch.
func checkAssignment(p *layout.Plugging, g *topology.Graph, twoWay bool, set []layout.Circuit) error {
	sends, receives, count := map[[2]int]bool{}, map[[2]int]bool{}, map[[2]int]int{}
	use := func(u, up, v, vp int) error {
		if sends[[2]int{u, up}] || receives[[2]int{v, vp}] {
			return fmt.Errorf("a fibre of %d.%d->%d.%d is used twice", u, up, v, vp)
		}
		sends[[2]int{u, up}], receives[[2]int{v, vp}] = true, true
		count[[2]int{u, v}]++
		return nil
	}
	for _, c := range set {
		if p.Switch(c.From, c.FromPort) != c.Switch || p.Switch(c.To, c.ToPort) != c.Switch {
			return fmt.Errorf("%+v is on switches %d and %d", c, p.Switch(c.From, c.FromPort), p.Switch(c.To, c.ToPort))
		}
		err := use(c.From, c.FromPort, c.To, c.ToPort)
		if err == nil && twoWay && c.From != c.To {
			err = use(c.To, c.ToPort, c.From, c.FromPort)
		}
		if err != nil {
			return err
		}
	}
	for e := range g.Edges() {
		if count[[2]int{e.From, e.To}] != e.Count {
			return fmt.Errorf("%d circuits %d->%d of %d", count[[2]int{e.From, e.To}], e.From, e.To, e.Count)
		}
		delete(count, [2]int{e.From, e.To})
	}
	if len(count) > 0 {
		return fmt.Errorf("circuits that nobody wants: %v", count)
	}
	return nil
}

// Rails do not restrict one-way circuits: they can set up everything that the ports allow
// (König).
func TestRailsSetUpAllOneWayCircuits(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 1))
	for range 300 {
		n, ports := 2+random.IntN(12), 1+random.IntN(6)
		p := plug(t, "rails", n, ports)
		g := drawn(n, ports, false, func(u, v int) bool { return true }, random)
		set, err := p.Assign(g, false)
		if err == nil {
			err = checkAssignment(p, g, false, set)
		}
		if err != nil {
			t.Fatalf("%d GPUs, %d ports: %v", n, ports, err)
		}
	}
}

// enumerated is a twin of Assign that shares nothing with it: it tries every port at both ends
// of one circuit after another.
func enumerated(p *layout.Plugging, ports int, g *topology.Graph, twoWay bool) bool {
	var list [][2]int
	for e := range g.Edges() {
		for range e.Count {
			if !twoWay || e.From <= e.To {
				list = append(list, [2]int{e.From, e.To})
			}
		}
	}
	type fibre struct {
		gpu, port int
		receive   bool
	}
	used := map[fibre]bool{}
	var try func(i int) bool
	try = func(i int) bool {
		if i == len(list) {
			return true
		}
		u, v := list[i][0], list[i][1]
		for a := range ports {
			for b := range ports {
				if p.Switch(u, a) < 0 || p.Switch(u, a) != p.Switch(v, b) {
					continue
				}
				take := []fibre{{u, a, false}, {v, b, true}}
				if twoWay && u != v {
					take = append(take, fibre{v, b, false}, fibre{u, a, true})
				}
				if twoWay && u == v && a != b {
					continue
				}
				free := true
				for _, f := range take {
					free = free && !used[f]
				}
				if !free {
					continue
				}
				for _, f := range take {
					used[f] = true
				}
				if try(i + 1) {
					return true
				}
				for _, f := range take {
					delete(used, f)
				}
			}
		}
		return false
	}
	return try(0)
}

// On any plugging, circuits that Assign refuses cannot be set up, and its assignments are right.
func TestAssignIsRightOnSmallPluggings(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 2))
	yes, no := 0, 0
	for trial := range 3000 {
		n, ports := 2+random.IntN(4), 1+random.IntN(3)
		var rows []string
		switches := 1 + random.IntN(4)
		for range n {
			var row []string
			for range ports {
				if s := random.IntN(switches + 1); s == switches {
					row = append(row, "-")
				} else {
					row = append(row, fmt.Sprint(s))
				}
			}
			rows = append(rows, strings.Join(row, ","))
		}
		text := "table:" + strings.Join(rows, ";")
		if trial%5 == 0 {
			text = "rails"
		}
		p := plug(t, text, n, ports)
		twoWay := trial%2 == 0
		g := drawn(n, ports, twoWay, func(u, v int) bool { return trial%3 > 0 || p.Joins(u, v) }, random)
		set, err := p.Assign(g, twoWay)
		if want := enumerated(p, ports, g, twoWay); want != (err == nil) {
			t.Fatalf("%s, two-way %v, %d circuits: %v; by enumeration %v", text, twoWay, g.Circuits(), err, want)
		}
		if checked := p.Check(g, twoWay); (checked == nil) != (err == nil) {
			t.Fatalf("%s: Check says %v, Assign %v", text, checked, err)
		}
		if err != nil {
			no++
			continue
		}
		yes++
		if err := checkAssignment(p, g, twoWay, set); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	if yes < 500 || no < 500 {
		t.Errorf("%d set up, %d refused: too few to tell", yes, no)
	}
}

// Two-way circuits of an odd ring need three rails; complete graphs of 5 and of 6 need five.
func TestTwoWayCircuitsNeedAColouring(t *testing.T) {
	for _, c := range []struct {
		g     *topology.Graph
		ports int
		fits  bool
	}{
		{topology.Circulant(6, 1), 2, true}, {topology.Circulant(5, 1), 2, false}, {topology.Circulant(5, 1), 3, true},
		{topology.Complete(6), 5, true}, {topology.Complete(5), 4, false}, {topology.Complete(5), 5, true},
		{topology.Torus(3, 3), 4, false}, {topology.Torus(4, 3), 4, true}, {topology.Torus(16, 32), 4, true},
		{topology.Circulant(64, 1, 5, 9), 6, true}, {topology.Circulant(65, 1, 5, 9), 6, false},
	} {
		p := plug(t, "rails", c.g.Nodes(), c.ports)
		set, err := p.Assign(c.g, true)
		if (err == nil) != c.fits {
			t.Errorf("%s on %d rails: %v", c.g.Name(), c.ports, err)
		}
		if err == nil {
			if err := checkAssignment(p, c.g, true, set); err != nil {
				t.Errorf("%s: %v", c.g.Name(), err)
			}
		}
	}
}

func ExamplePlugging_Assign() {
	l, _ := layout.Parse("2x2")
	p, _ := l.Plug(4, 2)
	set, _ := p.Assign(topology.Torus(2, 2), true)
	for _, c := range set {
		fmt.Printf("%d.%d-%d.%d on switch %d\n", c.From, c.FromPort, c.To, c.ToPort, c.Switch)
	}
	_, err := p.Assign(topology.Circulant(4, 1), true)
	fmt.Println(err)
	// Output:
	// 0.1-1.1 on switch 2
	// 0.0-2.0 on switch 0
	// 1.0-3.0 on switch 1
	// 2.1-3.1 on switch 3
	// GPUs 0 and 3 have no switch in common
}
