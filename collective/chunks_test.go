package collective_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
)

// chunkDraws is how many random cases a property is tried on.
const chunkDraws = 3000

// distinct draws up to 40 chunk numbers out of a range that makes them dense or sparse.
func distinct(r *rand.Rand) []int {
	most := 1 + r.IntN(200)
	return r.Perm(most)[:r.IntN(min(most, 40)+1)]
}

func TestOfKeepsExactlyTheChunks(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range chunkDraws {
		ids := distinct(r)
		packed := collective.Of(ids)
		want := slices.Sorted(slices.Values(ids))
		if got := slices.Collect(packed.All()); !slices.Equal(got, want) {
			t.Fatalf("Of(%v) = %v", ids, got)
		}
		if packed.Len() != len(ids) {
			t.Fatalf("Of(%v) has %d chunks", ids, packed.Len())
		}
		for _, r := range packed {
			if r.Count < 1 || r.Stride < 1 || r.Count == 1 && r.Stride != 1 {
				t.Fatalf("Of(%v) has the run %v", ids, r)
			}
		}
		if len(ids) > 0 && packed.Check(201) != nil {
			t.Fatalf("Of(%v): %v", ids, packed.Check(201))
		}
	}
}

func TestOfPacksPatterns(t *testing.T) {
	cases := []struct {
		ids  []int
		want collective.Chunks
	}{
		{nil, nil},
		{[]int{7}, collective.Chunks{{7, 1, 1}}},
		{[]int{2, 0, 1}, collective.Chunks{{0, 3, 1}}},
		{[]int{0, 4, 8, 12}, collective.Chunks{{0, 4, 4}}},
		{[]int{0, 5, 6, 7}, collective.Chunks{{0, 1, 1}, {5, 3, 1}}},
		{[]int{3, 4}, collective.Chunks{{3, 2, 1}}},
		{[]int{3, 9}, collective.Chunks{{3, 1, 1}, {9, 1, 1}}},
		{[]int{0, 1, 4, 5}, collective.Chunks{{0, 2, 1}, {4, 2, 1}}},
	}
	for _, tc := range cases {
		if got := collective.Of(tc.ids); !slices.Equal(got, tc.want) {
			t.Errorf("Of(%v) = %v, want %v", tc.ids, got, tc.want)
		}
	}
}

func TestAllStopsWhenAsked(t *testing.T) {
	var seen []int
	for c := range collective.Every(1, 3, 1000).All() {
		seen = append(seen, c)
		if len(seen) == 3 {
			break
		}
	}
	if want := []int{1, 4, 7}; !slices.Equal(seen, want) {
		t.Errorf("%v, want %v", seen, want)
	}
	if last := collective.Every(1, 3, 1000)[0].Last(); last != 1+999*3 {
		t.Errorf("last is %d", last)
	}
}

func TestChunksSurviveJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range chunkDraws {
		packed := collective.Of(distinct(r))
		text, err := json.Marshal(packed)
		if err != nil {
			t.Fatal(err)
		}
		var read collective.Chunks
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !slices.Equal(read, packed) {
			t.Fatalf("%v became %v by way of %s", packed, read, text)
		}
	}
}

func TestChunksAreWrittenAsNumbersAndTriples(t *testing.T) {
	text, err := json.Marshal(collective.Chunks{{5, 1, 1}, {8, 4, 2}})
	if want := `[5,[8,4,2]]`; err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
}

func TestBadChunksInJSONAreOneLineErrors(t *testing.T) {
	for _, text := range []string{
		`{}`, `"0"`, `5`, `true`, `[`, `[1,`, `["1"]`, `[1.5]`, `[true]`, `[[]]`, `[[1]]`, `[[1,2]]`, `[[1,2,3,4]]`,
		`[[1,2,"3"]]`, `[[1,2,[3]]]`, `[1e400]`, `[9223372036854775808]`, `[[0,9223372036854775808,1]]`, `[{}]`,
		"[{\n\"first\":\n1}]", "[[\n1,\n2]]", `["` + strings.Repeat("x", 10_000) + `"]`,
	} {
		var c collective.Chunks
		err := json.Unmarshal([]byte(text), &c)
		if err == nil {
			t.Errorf("%.60q is accepted as %v", text, c)
		} else if strings.Contains(err.Error(), "\n") || len(err.Error()) > 200 {
			t.Errorf("%.60q: %d characters, or lines: %q", text, len(err.Error()), err)
		}
	}
}

func TestCheckKnowsTheBounds(t *testing.T) {
	run := func(first, count, stride int) collective.Chunks {
		return collective.Chunks{{First: first, Count: count, Stride: stride}}
	}
	cases := []struct {
		name   string
		chunks collective.Chunks
		total  int
		ok     bool
	}{
		{"nothing", nil, 8, false},
		{"all", run(0, 8, 1), 8, true},
		{"last", run(7, 1, 1), 8, true},
		{"last, with a stride that means nothing", run(7, 1, math.MaxInt), 8, true},
		{"first too large", run(8, 1, 1), 8, false},
		{"first negative", run(-1, 1, 1), 8, false},
		{"one too many", run(0, 9, 1), 8, false},
		{"fits exactly", run(1, 3, 3), 8, true},
		{"passes the end", run(2, 3, 3), 8, false},
		{"no count", run(0, 0, 1), 8, false},
		{"negative count", run(0, -1, 1), 8, false},
		{"no stride", run(0, 2, 0), 8, false},
		{"negative stride", run(4, 2, -1), 8, false},
		{"count times stride is 2^64", run(0, 1<<32, 1<<32), 8, false},
		{"count times stride is negative", run(0, math.MaxInt, 2), 8, false},
		{"everything at its largest", run(math.MaxInt, math.MaxInt, math.MaxInt), math.MaxInt, false},
		{"a huge space", run(0, 1<<50, 4), 1 << 52, true},
		{"an empty space", run(0, 1, 1), 0, false},
		{"second run is bad", collective.Chunks{{0, 1, 1}, {8, 1, 1}}, 8, false},
		{"more than there are", collective.Chunks{{0, 8, 1}, {0, 1, 1}}, 8, false},
		{"lengths whose sum overflows", slices.Repeat(run(0, 1<<52, 1), 4096), 1 << 52, false},
	}
	for _, tc := range cases {
		err := tc.chunks.Check(tc.total)
		if (err == nil) != tc.ok {
			t.Errorf("%s: %v", tc.name, err)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q has several lines", tc.name, err)
		}
	}
}
