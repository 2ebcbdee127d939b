package algorithms_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

func plain(t testing.TB, op collective.Op, algorithm string, nodes int, size units.Bytes) collective.Sized {
	t.Helper()
	c, err := algorithms.New(op, algorithm, nodes, 1)
	if err != nil {
		t.Fatal(err)
	}
	return collective.Sized{Collective: c, Size: size}
}

// threeOps is a sequence with symmetry on 8 nodes.
func threeOps(t testing.TB) (parts []collective.Sized, whole collective.Sized) {
	t.Helper()
	parts = []collective.Sized{
		plain(t, collective.AllReduce, "ring", 8, 8*units.MiB),
		plain(t, collective.AllToAll, "bruck-index", 8, units.KiB),
		plain(t, collective.AllGather, "recursive-doubling", 8, 12345),
	}
	whole, err := collective.InSequence(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return parts, whole
}

// The steps of a sequence are those of its parts, with chunks of the same bytes under
// consecutive numbers.
func TestSequenceIsItsPartsOneAfterTheOther(t *testing.T) {
	parts, whole := threeOps(t)
	if err := whole.Space.Check(whole.Op, whole.Size); err != nil {
		t.Fatal(err)
	}
	if whole.Algorithm != "ring + bruck-index + recursive-doubling" || whole.Size != 8*units.MiB+units.KiB+12345 {
		t.Errorf("%s of %v", whole.Algorithm, whole.Size)
	}
	at, first := 0, 0
	for number, p := range parts {
		for _, step := range p.Steps {
			want, got := expand(step, p.Space), expand(whole.Steps[at], whole.Space)
			at++
			for i := range want {
				bytes := p.Space.Bytes(float64(p.Size), want[i].Chunks)
				want[i].Chunks = want[i].Chunks.Shift(first)
				if got[i].Src != want[i].Src || got[i].Dst != want[i].Dst || got[i].Action != want[i].Action ||
					!slices.Equal(slices.Collect(got[i].Chunks.All()), slices.Collect(want[i].Chunks.All())) {
					t.Fatalf("step %d: %v, want %v", at, got[i], want[i])
				}
				if b := whole.Space.Bytes(float64(whole.Size), got[i].Chunks); !alike(b, bytes) {
					t.Errorf("step %d: %v bytes, want %v", at, b, bytes)
				}
				if s := whole.Space.SectionOf(got[i].Chunks); s != number {
					t.Errorf("step %d is of section %d, want %d", at, s, number)
				}
			}
		}
		first += p.Space.Chunks()
	}
	if at != len(whole.Steps) || first != whole.Space.Chunks() {
		t.Errorf("%d steps and %d chunks, want %d and %d", len(whole.Steps), whole.Space.Chunks(), at, first)
	}
}

func TestSequencesThatMakeNoSense(t *testing.T) {
	if _, err := collective.InSequence(); err == nil {
		t.Error("a sequence of nothing")
	}
	one := plain(t, collective.AllReduce, "ring", 8, 1)
	if got, err := collective.InSequence(one); err != nil || got != one {
		t.Errorf("one alone: %v, %v", got, err)
	}
	if _, err := collective.InSequence(one, plain(t, collective.AllReduce, "ring", 4, 1)); err == nil || !strings.Contains(err.Error(), "8 and 4 nodes") {
		t.Errorf("different nodes: %v", err)
	}
	huge := plain(t, collective.AllReduce, "ring", 8, math.MaxInt64)
	if _, err := collective.InSequence(huge, one); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("too large: %v", err)
	}
}

// Translating a set of chunks translates each of them, and stays within its section.
func TestTranslationsOfSections(t *testing.T) {
	_, whole := threeOps(t)
	rng := rand.New(rand.NewPCG(1, 2))
	space := &whole.Space
	for _, group := range []topology.Translations{topology.Rotations(8, 1), topology.Translation(2, 2, 2), topology.Rotations(8, 2)} {
		for range 200 {
			ids := rng.Perm(space.Chunks())[:1+rng.IntN(5)]
			k := rng.IntN(group.Order())
			var want []int
			for _, c := range ids {
				moved := space.Move(group, k, c)
				if space.SectionOf(collective.Single(c)) != space.SectionOf(collective.Single(moved)) {
					t.Fatalf("chunk %d becomes %d, of another section", c, moved)
				}
				want = append(want, moved)
				// Home takes the representative of the orbit to the chunk.
				home := space.Home(group, c)
				if back := space.Move(group, group.Inverse(home), c); space.Move(group, home, back) != c || space.Home(group, back) != 0 {
					t.Fatalf("chunk %d has no home", c)
				}
			}
			got := slices.Sorted(space.Translate(group, k, collective.Of(ids)).All())
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Fatalf("element %d makes %v of %v, want %v", k, got, ids, want)
			}
		}
	}
}

// Within and SectionOf agree with a check of each chunk.
func TestChunksWithinARange(t *testing.T) {
	_, whole := threeOps(t) // sections of 8, 64 and 8 chunks
	for _, c := range []struct {
		chunks collective.Chunks
		want   int
	}{
		{collective.Single(0), 0}, {collective.Single(7), 0}, {collective.Single(8), 1}, {collective.Single(71), 1},
		{collective.Single(72), 2}, {collective.Single(79), 2}, {collective.Every(0, 1, 8), 0}, {collective.Every(7, 1, 2), -1},
		{collective.Every(8, 9, 8), 1}, {collective.Every(0, 79, 2), -1}, {collective.Of([]int{1, 73}), -1},
	} {
		if got := whole.Space.SectionOf(c.chunks); got != c.want {
			t.Errorf("%v is of section %d, want %d", c.chunks, got, c.want)
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		set := collective.Chunks{{First: rng.IntN(20), Count: 1 + rng.IntN(10), Stride: 1 + rng.IntN(5)}, {First: 100 + rng.IntN(9), Count: 1, Stride: 1}}
		first, count := rng.IntN(80), rng.IntN(60)
		var want []int
		for c := range set.All() {
			if c >= first && c < first+count {
				want = append(want, c-first)
			}
		}
		if got := slices.Collect(set.Within(first, count).All()); !slices.Equal(got, want) {
			t.Fatalf("%v within %d..%d: %v, want %v", set, first, first+count-1, got, want)
		}
	}
}

// Files give sizes in bytes.
func TestSectionsInFiles(t *testing.T) {
	_, whole := threeOps(t)
	data, err := json.Marshal(whole.Space)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"kind":"sections","sections":[` +
		`{"op":"allreduce","algorithm":"ring","size_bytes":8388608,"chunks":{"kind":"blocks","parts":1}},` +
		`{"op":"alltoall","algorithm":"bruck-index","size_bytes":1024,"chunks":{"kind":"pairs","parts":1}},` +
		`{"op":"allgather","algorithm":"recursive-doubling","size_bytes":12345,"chunks":{"kind":"blocks","parts":1}}]}`
	if string(data) != want {
		t.Errorf("%s", data)
	}
	var read collective.Space
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	read.Nodes = 8
	for i := range read.Sections {
		read.Sections[i].Space.Nodes = 8
	}
	if !reflect.DeepEqual(read, whole.Space) {
		t.Errorf("read as %+v", read)
	}
}

// Rebuilding a section by name gives the original layout.
func TestSectionsAreRebuilt(t *testing.T) {
	d := drawnDemand(t, "moe:2", 4, units.MiB, 1)
	weighted := exchangeOf(t, "bvn", d, 1)
	some, err := weighted.On([]int{5, 2, 7, 0}, 8)
	if err != nil {
		t.Fatal(err)
	}
	parts, _ := threeOps(t)
	parts = append(parts, collective.Sized{Collective: some, Size: weighted.Size})
	whole, err := collective.InSequence(parts...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole.Space.Sections {
		again, err := (*algorithms.Registry)(nil).Rebuild(context.Background(), &whole.Space.Sections[i], 1)
		if err != nil || !reflect.DeepEqual(again, parts[i]) {
			t.Errorf("section %d: %v, %v", i+1, again, err)
		}
	}
}
