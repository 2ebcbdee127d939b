package algorithms_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/units"
)

func TestParseMembers(t *testing.T) {
	for text, want := range map[string][]int{
		"0":             {0},
		"0-3":           {0, 1, 2, 3},
		"7,3,5":         {7, 3, 5},
		"0-7:2":         {0, 2, 4, 6},
		"0-8:4,1,20-21": {0, 4, 8, 1, 20, 21},
		"5-5":           {5},
		"1-3:100":       {1},
		"3,3":           {3, 3}, // CheckMembers says that
		// The second step would pass the largest int.
		"0-9223372036854775807:4611686018427387904": {0, 4611686018427387904},
		"9223372036854775807":                       {9223372036854775807},
	} {
		if got, err := collective.ParseMembers(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"":                      `"" is not a GPU`,
		",":                     `"" is not a GPU`,
		"1,":                    `"" is not a GPU`,
		"a":                     `"a" is not a GPU or a range of them; write e.g. 0-7,16 or 0-62:2`,
		"-1":                    `"-1" is not`,
		"3-1":                   `"3-1" is not`,
		"1-2-3":                 `"1-2-3" is not`,
		"0-7:0":                 `"0-7:0" is not`,
		"0-7:-1":                `"0-7:-1" is not`,
		"0-7:":                  `"0-7:" is not`,
		"4:2":                   `"4:2" is not`,
		"0 - 7":                 `"0 - 7" is not`,
		"1.5":                   `"1.5" is not`,
		"99999999999999999999":  `is not`,
		"0-9223372036854775807": `more than 1048576 GPUs`,
		"0-1048575,0-1048575,0": `more than 1048576 GPUs`,
	} {
		if got, err := collective.ParseMembers(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %d GPUs, %v, want %q", text, len(got), err, want)
		}
	}
}

func FuzzParseMembers(f *testing.F) {
	for _, text := range []string{"0-7,16", "0-62:2", "3,1,2", "0-9223372036854775807:4611686018427387904", "1-", ":"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		members, err := collective.ParseMembers(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") && !strings.Contains(text, "\n") {
				t.Fatalf("%q is not one line", err)
			}
			return
		}
		if len(members) == 0 || len(members) > 2<<20 || slices.Min(members) < 0 {
			t.Fatalf("%q: %d GPUs", text, len(members))
		}
	})
}

func TestCheckMembers(t *testing.T) {
	for _, c := range []struct {
		members []int
		want    string
	}{
		{nil, ""},
		{[]int{0, 1}, ""},
		{[]int{7, 0, 3}, ""},
		{[]int{}, "want 2 or more GPUs, not 0"},
		{[]int{3}, "want 2 or more GPUs, not 1"},
		{[]int{0, 8}, "GPU 8: GPUs are numbered 0..7"},
		{[]int{-1, 2}, "GPU -1: GPUs are numbered 0..7"},
		{[]int{4, 2, 4}, "GPU 4 is listed twice"},
	} {
		err := collective.CheckMembers(c.members, 8)
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%v: %v, want %q", c.members, err, c.want)
		}
	}
}

// After On, member i does the work of node i.
func TestOnRelabelsEverything(t *testing.T) {
	members := []int{9, 2, 5, 11}
	d := collective.Demand{{0, 5, 0, 9}, {1, 0, 2, 3}, {0, 7, 0, 0}, {4, 4, 4, 0}}
	var all []collective.Sized
	for _, a := range algorithms.Algorithms() {
		for _, op := range a.Ops {
			if a.Supports(op, collective.Shape{Nodes: 4, Ports: 1}) == nil {
				c, err := algorithms.New(op, a.Name, 4, 1)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, collective.Sized{Collective: c, Size: units.MiB})
			}
		}
	}
	all = append(all, exchangeOf(t, "bvn", d, 1), exchangeOf(t, "direct", d, 1))
	for _, c := range all {
		on, err := c.On(members, 12)
		if err != nil {
			t.Fatal(err)
		}
		if on.Nodes != 12 || on.Space.Nodes != 12 || on.Space.MembersCount() != 4 || len(on.Steps) != len(c.Steps) {
			t.Fatalf("%s %s: %d nodes, %d steps", c.Op, c.Algorithm, on.Nodes, len(on.Steps))
		}
		if err := on.Space.Check(on.Op, c.Size); err != nil {
			t.Errorf("%s %s: %v", c.Op, c.Algorithm, err)
		}
		for i, step := range on.Steps {
			k := 0
			for was := range c.Steps[i].All(c.Space) {
				now := step.Base[k]
				k++
				if now.Src != members[was.Src] || now.Dst != members[was.Dst] || !reflect.DeepEqual(now.Chunks, was.Chunks) || now.Action != was.Action {
					t.Fatalf("%s %s: step %d: %v became %v", c.Op, c.Algorithm, i+1, was, now)
				}
				if a, b := c.Space.Bytes(float64(c.Size), was.Chunks), on.Space.Bytes(float64(c.Size), now.Chunks); a != b {
					t.Fatalf("%s %s: step %d: %v bytes became %v", c.Op, c.Algorithm, i+1, a, b)
				}
			}
			if !step.Group.Trivial() {
				t.Errorf("%s %s: step %d keeps a symmetry of the members", c.Op, c.Algorithm, i+1)
			}
		}
		if on.Space.Homogeneous() {
			t.Errorf("%s %s: GPUs that take no part look like the others", c.Op, c.Algorithm)
		}
	}
}

func TestOnAllNodesInTheirOrderChangesNothing(t *testing.T) {
	c, err := algorithms.New(collective.AllReduce, "ring", 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, members := range [][]int{nil, {0, 1, 2, 3}} {
		if on, err := c.On(members, 4); err != nil || on != c {
			t.Errorf("%v: %v, %v", members, on, err)
		}
	}
	if on, err := c.On([]int{1, 0, 2, 3}, 4); err != nil || on == c || on.Space.Members == nil {
		t.Errorf("in another order: %v, %v", on, err)
	}
	for _, members := range [][]int{{0, 1, 2}, {0, 1, 2, 3, 4}, {0, 1, 2, 2}, {0, 1, 2, 9}} {
		if _, err := c.On(members, 8); err == nil {
			t.Errorf("%v is taken", members)
		}
	}
}
