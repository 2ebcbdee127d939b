package collective_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/units"
)

func generated(t testing.TB, spec string, n int, size units.Bytes, seed uint64) collective.Demand {
	t.Helper()
	d, err := collective.GenerateDemand(spec, n, size, seed)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var demandSpecs = []string{"uniform", "random", "zipf:0", "zipf:0.4", "zipf:1.2", "zipf:10", "moe:1", "moe:2", "moe:8"}

func TestGeneratedDemandsAreReproducibleAndOfTheRightSize(t *testing.T) {
	for _, spec := range demandSpecs {
		for _, n := range []int{8, 9, 16} {
			const size = units.MiB
			d := generated(t, spec, n, size, 3)
			if again := generated(t, spec, n, size, 3); !reflect.DeepEqual(d, again) {
				t.Errorf("%s: the same seed gives another demand", spec)
			}
			// With 8 experts on 8 GPUs every token goes to all.
			drawn := spec != "uniform" && spec != "zipf:0" && !(spec == "moe:8" && n == 8)
			if other := generated(t, spec, n, size, 4); drawn == reflect.DeepEqual(d, other) {
				t.Errorf("%s, n=%d: another seed gives the same demand: %v", spec, n, !drawn)
			}
			if spec != "zipf:10" { // all of its bytes may be on the diagonal
				if err := d.Check(n); err != nil {
					t.Errorf("%s: %v", spec, err)
				}
			}
			// Every entry is rounded by at most a half.
			if off := math.Abs(float64(d.Size() - size)); off > float64(n)/2+1 {
				t.Errorf("%s, n=%d: a node holds %v on average, want %v", spec, n, d.Size(), size)
			}
		}
	}
}

func TestZipfOfExponentZeroIsUniform(t *testing.T) {
	if a, b := generated(t, "zipf:0", 12, units.MiB, 1), generated(t, "uniform", 12, units.MiB, 2); !reflect.DeepEqual(a, b) {
		t.Errorf("%v and %v", a, b)
	}
}

func TestMoeToEveryExpertIsUniform(t *testing.T) {
	d := generated(t, "moe:8", 8, units.MiB, 1)
	if bytes, ok := d.Uniform(); !ok || bytes != int64(units.MiB)/8 {
		t.Errorf("%v", d)
	}
}

// skew is the largest pair over the mean one.
func skew(d collective.Demand) float64 {
	most, sum := int64(0), int64(0)
	for _, row := range d {
		most = max(most, slices.Max(row))
		for _, bytes := range row {
			sum += bytes
		}
	}
	return float64(most) / float64(sum) * float64(len(d)*len(d))
}

func TestSkewOfDemands(t *testing.T) {
	for seed := range uint64(5) {
		of := map[string]float64{}
		for _, spec := range []string{"uniform", "random", "zipf:0.4", "zipf:1.2", "moe:1", "moe:2"} {
			of[spec] = skew(generated(t, spec, 32, units.GiB, seed))
		}
		if of["uniform"] > 1.001 || of["random"] < 1.5 || of["random"] > 2.1 ||
			of["zipf:1.2"] <= of["zipf:0.4"] || of["zipf:0.4"] <= of["random"] ||
			of["moe:1"] <= of["random"] || of["moe:2"] <= of["random"] || of["moe:1"] <= of["moe:2"] {
			t.Errorf("seed %d: %v", seed, of)
		}
	}
}

// A Zipf demand is the sequence 1/r^s, dealt out.
func TestZipfIsARankLaw(t *testing.T) {
	const n, s = 8, 0.7
	var all []int64
	for _, row := range generated(t, "zipf:0.7", n, units.GiB, 9) {
		all = append(all, row...)
	}
	slices.Sort(all)
	slices.Reverse(all)
	for r, bytes := range all {
		if want := float64(all[0]) * math.Pow(float64(r+1), -s); math.Abs(float64(bytes)-want) > 2 {
			t.Fatalf("rank %d has %d bytes, want %.0f", r+1, bytes, want)
		}
	}
}

// Tokens go to different experts: no pair can have more than one in k of the bytes of a
// node, and the load of an expert comes from all nodes alike.
func TestMoeTokensGoToDifferentExperts(t *testing.T) {
	for _, k := range []int{1, 2, 4, 7} {
		spec := "moe:" + string(rune('0'+k))
		const size = units.GiB
		for s, row := range generated(t, spec, 8, size, 5) {
			sum := int64(0)
			for _, bytes := range row {
				sum += bytes
				if float64(bytes) > float64(size)/float64(k)*1.001 {
					t.Errorf("%s: a pair has %d bytes of %d", spec, bytes, size)
				}
			}
			if math.Abs(float64(sum-int64(size))) > 8 { // every node has as many tokens
				t.Errorf("%s: node %d sends %d bytes, want %d", spec, s, sum, size)
			}
		}
	}
}

func TestBadDemandSpecsAreOneLineErrors(t *testing.T) {
	for _, c := range []struct {
		spec string
		n    int
		size units.Bytes
		want string
	}{
		{"", 8, units.MiB, `unknown demand ""`},
		{"flat", 8, units.MiB, "uniform, random, zipf:S"},
		{"Random", 8, units.MiB, "unknown demand"},
		{"random:3", 8, units.MiB, "unknown demand"},
		{"uniform:", 8, units.MiB, "unknown demand"},
		{"zipf", 8, units.MiB, "unknown demand"},
		{"zipf:", 8, units.MiB, `"" is not an exponent in 0..10`},
		{"zipf:-1", 8, units.MiB, `"-1" is not an exponent`},
		{"zipf:11", 8, units.MiB, `"11" is not an exponent`},
		{"zipf:NaN", 8, units.MiB, `"NaN" is not an exponent`},
		{"zipf:Inf", 8, units.MiB, `"Inf" is not an exponent`},
		{"zipf:1:2", 8, units.MiB, `"1:2" is not an exponent`},
		{"moe", 8, units.MiB, "unknown demand"},
		{"moe:0", 8, units.MiB, `"0" is not a number of experts in 1..8`},
		{"moe:9", 8, units.MiB, `"9" is not a number of experts in 1..8`},
		{"moe:1.5", 8, units.MiB, `"1.5" is not a number of experts`},
		{"random", 1, units.MiB, "a demand of 1 nodes; want 2..4096"},
		{"random", -1, units.MiB, "a demand of -1 nodes"},
		{"random", 1 << 16, units.MiB, "a demand of 65536 nodes; want 2..4096"},
		{"random", 8, 0, "want above 0B"},
		{"random", 8, -5, "want above 0B"},
		{"random", 8, math.MaxInt64, "at most 8TiB"},
	} {
		d, err := collective.GenerateDemand(c.spec, c.n, c.size, 1)
		if err == nil || d != nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q, n=%d, %v: %v, want %q", c.spec, c.n, c.size, err, c.want)
		}
	}
}

// Bytes that are each within bounds may add up to more than an int64.
func TestDemandsThatOverflowAreRefused(t *testing.T) {
	const n = 512
	d := make(collective.Demand, n)
	for s := range d {
		d[s] = slices.Repeat([]int64{1 << 46}, n)
	}
	d[0][1]--
	if err := d.Check(n); err == nil || !strings.Contains(err.Error(), "adds up to more than 4194304TiB") {
		t.Errorf("a demand of size %v: %v", d.Size(), err)
	}
}

func TestReadDemandCSV(t *testing.T) {
	want := collective.Demand{{0, 10, 20}, {5, 0, 7}, {0, 2, 1}}
	for name, text := range map[string]string{
		"rows":                    "0,10,20\n5,0,7\n0,2,1\n",
		"rows without a last end": "0,10,20\n5,0,7\n0,2,1",
		"rows with spaces":        " 0, 10 ,20\n5,0,7\n\n0,2,1\n",
		"rows of Windows":         "0,10,20\r\n5,0,7\r\n0,2,1\r\n",
		"rows with comments":      "# mine\n0,10,20\n5,0,7\n# more\n0,2,1\n",
		"pairs":                   "src,dst,bytes\n0,1,10\n0,2,20\n1,0,5\n1,2,7\n2,1,2\n2,2,1\n",
		"pairs in another order":  "src,dst,bytes\n2,2,1\n2,1,2\n1,2,7\n1,0,5\n0,2,20\n0,1,10\n",
		"pairs with nothing":      "src, dst, bytes\n0,1,10\n0,2,20\n1,0,5\n1,2,7\n2,1,2\n2,2,1\n2,0,0\n",
	} {
		got, err := collective.ReadDemandCSV(strings.NewReader(text))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestBadDemandFilesAreOneLineErrors(t *testing.T) {
	wide := strings.Repeat("1,", 4096) + "1\n"
	for _, c := range []struct{ kind, text, want string }{
		{"csv", "", "the file is empty"},
		{"csv", "# nothing\n\n", "the file is empty"},
		{"csv", "0,10,x\n1,0,2\n1,1,0\n", `line 1: entry 3: "x" is not a number of bytes`},
		{"csv", "0,10\n\n-1,0\n", `line 3: entry 1: "-1" is not a number of bytes`},
		{"csv", "0,1e3\n1,0\n", `"1e3" is not a number of bytes (whole, without a unit)`},
		{"csv", "0,NaN\n1,0\n", `"NaN" is not`},
		{"csv", "0,1.5\n1,0\n", `"1.5" is not`},
		{"csv", "0,4MiB\n1,0\n", `"4MiB" is not`},
		{"csv", "0,\n1,0\n", `line 1: entry 2: "" is not`},
		{"csv", "0,99999999999999999999\n1,0\n", `"99999999999999999999" is not`},
		{"csv", "0,9223372036854775807\n1,0\n", `from 0 to 1 is 9223372036854775807 bytes; want 0..70368744177664`},
		{"csv", "0,1,2\n3,0\n5,6,0\n", "line 2: 2 entries, the first row has 3"},
		{"csv", "0,1,2\n3,0,4\n", "row 0 of the demand has 3 entries, want 2"},
		{"csv", "0,1\n3,0\n4,5\n", "row 0 of the demand has 2 entries, want 3"},
		{"csv", "0\n", "the demand is empty"},
		{"csv", "7,0\n0,7\n", "the demand is empty: no node has anything for another"},
		{"csv", "\"0,1\n", `line 1: extraneous or missing " in quoted-field`},
		{"csv", "0,1\n2,\"0\n", `line 2: `},
		{"csv", wide, "line 1: more than 4096 nodes"},
		{"csv", "src,dst,bytes\n", "no pair of different nodes"},
		{"csv", "src,dst,bytes\n0,0,5\n", "no pair of different nodes"},
		{"csv", "src,dst,bytes\n0,1\n", "line 2: want src,dst,bytes"},
		{"csv", "src,dst,bytes\n0,1,2,3\n", "line 2: want src,dst,bytes"},
		{"csv", "src,dst,bytes\n0,1,5\n0,1,6\n", "line 3: 0 to 1 is listed twice"},
		{"csv", "src,dst,bytes\n0,-1,5\n", `line 2: entry 2: "-1" is not`},
		{"csv", "src,dst,bytes\n0,4096,5\n", "line 2: more than 4096 nodes"},
		{"csv", "src,dst,bytes\n0,1,0\n", "the demand is empty"},
		{"csv", "from,to,bytes\n0,1,5\n", `line 1: entry 1: "from" is not`},
		{"json", "", "the file is empty; want a list of rows"},
		{"json", "[[0,1],[2", "the file ends in the middle of a list of rows"},
		{"json", "null", "the demand is empty"},
		{"json", "[]", "the demand is empty"},
		{"json", "{}", "want a list, found an object"},
		{"json", "[0,1]", "found a number"},
		{"json", `[[0,"1"],[2,0]]`, "found a string"},
		{"json", "[[0,1.5],[2,0]]", "1.5 is not a whole number"},
		{"json", "[[0,1e30],[2,0]]", "1e30 is not a whole number"},
		{"json", "[[0,NaN],[2,0]]", "found 'N'"},
		{"json", "[[0,-1],[2,0]]", "from 0 to 1 is -1 bytes"},
		{"json", "[[0,1],[2]]", "row 1 of the demand has 1 entries, want 2"},
		{"json", "[[0,1,2],[2,0,1]]", "row 0 of the demand has 3 entries, want 2"},
		{"json", "[[0,1],null]", "row 1 of the demand has 0 entries, want 2"},
		{"json", "[[0,1],[2,0]] []", "there is more after the end"},
		{"json", "[[5]]", "the demand is empty"},
	} {
		read := collective.ReadDemandCSV
		if c.kind == "json" {
			read = collective.ReadDemandJSON
		}
		_, err := read(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %.60q: %v, want %q", c.kind, c.text, err, c.want)
		}
	}
}

func TestReadDemandFileGoesByTheName(t *testing.T) {
	dir := t.TempDir()
	want := collective.Demand{{0, 10}, {20, 0}}
	for name, text := range map[string]string{"a.csv": "0,10\n20,0\n", "b.JSON": "[[0,10],[20,0]]\n"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if d, err := collective.ReadDemandFile(file); err != nil || !reflect.DeepEqual(d, want) {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
	for name, want := range map[string]string{"a.txt": "a demand is a .csv or .json file", "none.csv": "none.csv"} {
		if _, err := collective.ReadDemandFile(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// checkRead holds for whatever is read: it is a demand, and its algorithms can be laid out.
func checkRead(t *testing.T, d collective.Demand, err error) {
	if err != nil {
		if strings.Contains(err.Error(), "\n") {
			t.Fatalf("%q is not one line", err)
		}
		return
	}
	if err := d.Check(len(d)); err != nil {
		t.Fatal(err)
	}
	if d.Size() <= 0 {
		t.Fatalf("size %v", d.Size())
	}
	if len(d) > 8 {
		return // true, but slow
	}
	for _, algorithm := range []string{"direct", "bvn", "bvn-few"} {
		shape, size := algorithms.ExchangeShape(d, 2)
		if _, uniform := d.Uniform(); uniform && algorithm != "direct" {
			continue
		}
		c, err := algorithms.NewExchange(context.Background(), algorithm, d, shape.Ports)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Space.Check(c.Op, size); err != nil {
			t.Fatalf("%s: %v", algorithm, err)
		}
	}
}

func FuzzReadDemandCSV(f *testing.F) {
	for _, text := range []string{"0,10\n20,0\n", "src,dst,bytes\n0,1,5\n", "#\n0,1\n\"2\",0", "0,1,2\n3,0,4\n5,6,0", "0,70368744177664\n1,0"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := collective.ReadDemandCSV(strings.NewReader(string(data)))
		checkRead(t, d, err)
	})
}

func FuzzReadDemandJSON(f *testing.F) {
	for _, text := range []string{"[[0,10],[20,0]]", "[[0,1,2],[3,0,4],[5,6,0]]", "[[0,1],[2", "null", "[[0,70368744177664],[1,0]]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := collective.ReadDemandJSON(strings.NewReader(string(data)))
		checkRead(t, d, err)
	})
}
