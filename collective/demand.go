package collective

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/units"
)

// Demand has the bytes from every node to every other: row s, column d. What a node has for
// itself stays in place and takes no time.
type Demand [][]int64

// These limit the bytes of a pair and of all pairs, so that sums, and products with the number
// of nodes, fit an int64.
const (
	maxPairBytes   = 1 << 46
	maxDemandBytes = 1 << 62
)

var errEmptyDemand = errors.New("the demand is empty: no node has anything for another")

// Check reports what is wrong with a demand for n nodes.
func (d Demand) Check(n int) error {
	if len(d) != n {
		return fmt.Errorf("a demand of %d rows for %d nodes", len(d), n)
	}
	some, sum := false, int64(0)
	for s, row := range d {
		if len(row) != n {
			return fmt.Errorf("row %d of the demand has %d entries, want %d", s, len(row), n)
		}
		for t, bytes := range row {
			if bytes < 0 || bytes > maxPairBytes {
				return fmt.Errorf("the demand from %d to %d is %d bytes; want 0..%d", s, t, bytes, int64(maxPairBytes))
			}
			some = some || s != t && bytes > 0
			if sum += bytes; sum > maxDemandBytes {
				return fmt.Errorf("the demand adds up to more than %v", units.Bytes(maxDemandBytes))
			}
		}
	}
	if !some {
		return errEmptyDemand
	}
	return nil
}

// Size returns what a node holds on average, rounded up: the size of the all-to-all.
func (d Demand) Size() units.Bytes {
	sum := int64(0)
	for _, row := range d {
		sum += arithmetic.Sum(row)
	}
	n := int64(len(d))
	return units.Bytes(arithmetic.CeilDiv(sum, n))
}

// Uniform returns the bytes of every pair if all pairs of different nodes have the same.
func (d Demand) Uniform() (bytes int64, ok bool) {
	bytes = d[0][1]
	for s, row := range d {
		for t, b := range row {
			if s != t && b != bytes {
				return 0, false
			}
		}
	}
	return bytes, true
}

// Floats returns the demand in the form that package flow expects.
func (d Demand) Floats() [][]float64 {
	rows := make([][]float64, len(d))
	for s, row := range d {
		rows[s] = make([]float64, len(row))
		for t, bytes := range row {
			rows[s][t] = float64(bytes)
		}
	}
	return rows
}

// DemandSyntax describes what GenerateDemand reads.
const DemandSyntax = "uniform, random, zipf:S (e.g. zipf:0.4) or moe:K (each token to K experts, e.g. moe:2)"

// GenerateDemand makes the demand of an all-to-all of n nodes that hold size bytes each on
// average:
//
//	uniform   size/n for every pair
//	random    bytes of a pair uniformly distributed between 0 and twice the mean
//	zipf:S    the pair of rank r has bytes proportional to 1/r^S, with random ranks
//	moe:K     tokens of a mixture of experts, one expert per node: the popularity of
//	          experts is log-normal, and so is each node's preference; each token goes to
//	          K different experts, drawn in proportion to popularity times preference
//	rows:...  bytes in the proportions of a matrix: see Demand.Spec
//
// The same seed gives the same demand. Bytes are rounded to integers.
func GenerateDemand(spec string, n int, size units.Bytes, seed uint64) (Demand, error) {
	if n < MinNodes || n > maxDemandNodes {
		return nil, fmt.Errorf("a demand of %d nodes; want %d..%d", n, MinNodes, maxDemandNodes)
	}
	if size <= 0 || float64(size)*float64(n) > maxPairBytes {
		return nil, fmt.Errorf("a demand of %v per node; want above 0B and, for %d nodes, at most %v", size, n, units.Bytes(maxPairBytes/int64(n)))
	}
	rng := rand.New(rand.NewPCG(seed, 0x11677074))
	g, err := parseGenerator(spec, n, "FILE.csv, FILE.json, ")
	if err != nil {
		return nil, err
	}
	var weights [][]float64
	switch g.name {
	case "random":
		weights = eachPair(n, func(_, _ int) float64 { return rng.Float64() })
	case "zipf":
		weights = zipfWeights(n, g.exponent, rng)
	case "moe":
		return moeDemand(n, g.experts, size, rng), nil
	case rowsGenerator:
		if len(g.rows) != n {
			return nil, fmt.Errorf("a demand of %d rows for %d nodes", len(g.rows), n)
		}
		weights = g.rows.Floats()
	default:
		weights = eachPair(n, func(_, _ int) float64 { return 1 })
	}
	return scaled(weights, size), nil
}

// generator is the parsed form of what GenerateDemand reads.
type generator struct {
	name     string
	exponent float64 // of zipf
	experts  int     // of moe
	rows     Demand
}

// rowsGenerator makes the demand that follows it in the text.
const rowsGenerator = "rows"

// Spec writes a demand for GenerateDemand, which scales it: numbers separated by commas, rows
// by semicolons, "rows:0,10;20,0".
func (d Demand) Spec() string {
	text := []byte(rowsGenerator + ":")
	for s, row := range d {
		if s > 0 {
			text = append(text, ';')
		}
		for t, bytes := range row {
			if t > 0 {
				text = append(text, ',')
			}
			text = strconv.AppendInt(text, bytes, 10)
		}
	}
	return string(text)
}

// parseRows reads what Spec writes after the name.
func parseRows(text string) (Demand, error) {
	var d Demand
	for row := range strings.SplitSeq(text, ";") {
		if len(d) == maxDemandNodes {
			return nil, fmt.Errorf("more than %d nodes", maxDemandNodes)
		}
		numbers, err := wholeNumbers(strings.Split(row, ","))
		if err != nil {
			return nil, fmt.Errorf("row %d, %w", len(d)+1, err)
		}
		d = append(d, numbers)
	}
	return d, d.Check(len(d))
}

// parseGenerator reads a generator for at most the given number of experts; other names the
// alternatives for its errors.
func parseGenerator(spec string, most int, other string) (g generator, err error) {
	name, parameter, given := strings.Cut(spec, ":")
	g.name = name
	switch {
	case (name == "uniform" || name == "random") && !given:
	case name == "zipf" && given:
		g.exponent, err = strconv.ParseFloat(parameter, 64)
		if err != nil || !(g.exponent >= 0) || g.exponent > 10 {
			return g, fmt.Errorf("demand %q: %q is not an exponent in 0..10", spec, parameter)
		}
	case name == "moe" && given:
		g.experts, err = strconv.Atoi(parameter)
		if err != nil || g.experts < 1 || g.experts > most {
			return g, fmt.Errorf("demand %q: %q is not a number of experts in 1..%d", spec, parameter, most)
		}
	case name == rowsGenerator && given:
		if g.rows, err = parseRows(parameter); err != nil {
			return g, fmt.Errorf("demand %.40q: %w", spec, err)
		}
	default:
		return g, fmt.Errorf("unknown demand %.40q; use %s%s", spec, other, DemandSyntax)
	}
	return g, nil
}

// CheckGenerator reports what GenerateDemand would refuse for any number of nodes.
func CheckGenerator(spec string) error {
	_, err := parseGenerator(spec, maxDemandNodes, "")
	return err
}

func eachPair(n int, weight func(s, d int) float64) [][]float64 {
	rows := make([][]float64, n)
	for s := range rows {
		rows[s] = make([]float64, n)
		for d := range rows[s] {
			rows[s][d] = weight(s, d)
		}
	}
	return rows
}

// zipfWeights assigns the ranks 1..n*n at random.
func zipfWeights(n int, exponent float64, rng *rand.Rand) [][]float64 {
	ranks := rng.Perm(n * n)
	return eachPair(n, func(s, d int) float64 { return math.Pow(float64(ranks[s*n+d]+1), -exponent) })
}

// scaled turns weights into bytes of size per node on average.
func scaled(weights [][]float64, size units.Bytes) Demand {
	sum := 0.0
	for _, row := range weights {
		for _, w := range row {
			sum += w
		}
	}
	unit := float64(size) * float64(len(weights)) / sum
	d := make(Demand, len(weights))
	for s, row := range weights {
		d[s] = make([]int64, len(row))
		for t, w := range row {
			d[s][t] = int64(math.Round(w * unit))
		}
	}
	return d
}

// moeTokens is the number of tokens that each node gates: enough that the few popular experts
// are seen, few enough that the unpopular ones sometimes are not.
const moeTokens = 1024

// These are the spreads of the logarithms of popularity and of preference. The busiest of 64
// experts then gets about six times the mean, as published gate profiles show for unbalanced
// layers.
const (
	moePopularity = 0.8
	moeTaste      = 0.4
)

// moeDemand draws the experts of every token. A token sends size/(tokens*k) bytes to each of
// them.
func moeDemand(n, k int, size units.Bytes, rng *rand.Rand) Demand {
	popularity := make([]float64, n)
	for e := range popularity {
		popularity[e] = math.Exp(moePopularity * rng.NormFloat64())
	}
	counts := make([][]float64, n)
	weights := make([]float64, n)
	for s := range counts {
		counts[s] = make([]float64, n)
		for e := range weights {
			weights[e] = popularity[e] * math.Exp(moeTaste*rng.NormFloat64())
		}
		g := newGate(weights)
		for range moeTokens {
			g.token()
			for range k {
				counts[s][g.draw(rng)]++
			}
		}
	}
	return scaled(counts, size)
}

// gate draws the experts of tokens in proportion to weights.
type gate struct {
	weights []float64
	sums    []float64 // of the weights up to and including each expert
	near    []int     // expert to begin the search for a sum at, by equal ranges of sums
	taken   []int     // the last token for which each expert was drawn
	tokens  int
}

func newGate(weights []float64) *gate {
	g := &gate{weights: weights, sums: make([]float64, len(weights)), taken: make([]int, len(weights))}
	sum := 0.0
	for e, w := range weights {
		sum += w
		g.sums[e] = sum
	}
	g.near = make([]int, nearRanges*len(weights))
	for i := range g.near {
		g.near[i] = sort.SearchFloat64s(g.sums, sum*float64(i)/float64(len(g.near)))
	}
	return g
}

// nearRanges is the number of ranges of sums per expert: enough that few have several experts.
const nearRanges = 4

// at returns the first expert whose sum is at least a fraction, below 1, of the total, as a binary
// search would.
func (g *gate) at(fraction float64) int {
	x := fraction * g.sums[len(g.sums)-1]
	e := g.near[int(fraction*float64(len(g.near)))]
	for e > 0 && g.sums[e-1] >= x {
		e--
	}
	for g.sums[e] < x {
		e++
	}
	return e
}

// token begins the next token.
func (g *gate) token() { g.tokens++ }

// gateTries is how often an expert is drawn again because the token already has it, before the
// others are examined one by one.
const gateTries = 8

// draw returns an expert that the token does not have yet. Drawing again has the same
// distribution as drawing from the others, and takes O(1) if these have most of the weight.
func (g *gate) draw(rng *rand.Rand) int {
	for range gateTries {
		if e := g.at(rng.Float64()); g.taken[e] != g.tokens {
			g.taken[e] = g.tokens
			return e
		}
	}
	left := 0.0
	for e, w := range g.weights {
		if g.taken[e] != g.tokens {
			left += w
		}
	}
	x, pick := rng.Float64()*left, -1
	for e, w := range g.weights {
		if g.taken[e] == g.tokens {
			continue
		}
		pick = e // rounding may leave only the last one
		if x -= w; x < 0 {
			break
		}
	}
	g.taken[pick] = g.tokens
	return pick
}
