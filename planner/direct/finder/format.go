package finder

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// A store is a text of lines, compressed if the name of its file ends in .gz. The first names the
// format and the revision of the finder. A line of words begins the frontiers of one search; the
// lines after it have the nodes and, after tabs, the points in order:
//
//	lightpath frontiers 5
//	degree 4 allreduce one-way tries 400 seed 0
//	7	4 12/7 bfb C(7;2,3)
//
// Nodes without a point have no topology.

// revision is raised when the same search gives a different result.
const revision = 5

const title = "lightpath frontiers "

var errRevision = errors.New("another revision of the finder wrote it")

func write(w io.Writer, found map[search]map[int][]Point, compressed bool) error {
	if compressed {
		zip := gzip.NewWriter(w)
		return errors.Join(write(zip, found, false), zip.Close())
	}
	text := bufio.NewWriter(w)
	fmt.Fprintf(text, "%s%d\n", title, revision)
	for _, k := range slices.SortedFunc(maps.Keys(found), search.compare) {
		fmt.Fprintln(text, k)
		for _, n := range slices.Sorted(maps.Keys(found[k])) {
			text.WriteString(strconv.Itoa(n))
			for _, p := range found[k][n] {
				fmt.Fprintf(text, "\t%d %v %s %v", p.Steps, p.Bandwidth, p.Method, p.Expr)
			}
			text.WriteByte('\n')
		}
	}
	return text.Flush()
}

// read reads what write wrote, compressed or not, whatever the name of the file. The error
// names the line that is wrong.
func read(r io.Reader) (map[search]map[int][]Point, error) {
	text := bufio.NewReader(r)
	// The magic of gzip: RFC 1952, 2.3.1.
	if magic, err := text.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		zip, err := gzip.NewReader(text)
		if err != nil {
			return nil, fmt.Errorf("not a store of frontiers: %w", err)
		}
		text = bufio.NewReader(zip)
	}
	found := map[search]map[int][]Point{}
	var frontiers map[int][]Point
	for number := 1; ; number++ {
		line, err := text.ReadString('\n')
		if err == io.EOF && line == "" && number > 1 {
			return found, nil
		}
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case number == 1:
			err = readTitle(line)
		case strings.HasPrefix(line, "degree "):
			frontiers, err = readSearch(line, found)
		default:
			err = readPoints(line, frontiers)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
}

func readTitle(line string) error {
	text, ok := strings.CutPrefix(line, title)
	if !ok {
		return fmt.Errorf("want %q and the revision", title)
	}
	if text != strconv.Itoa(revision) {
		return errRevision
	}
	return nil
}

// String is the line that begins the frontiers of a search.
func (k search) String() string {
	way := "one-way"
	if k.opts.bidirectional {
		way = "two-way"
	}
	return fmt.Sprintf("degree %d %v %s tries %d seed %d", k.degree, k.opts.op, way, k.opts.tries, k.opts.seed)
}

func (k search) compare(o search) int {
	return cmp.Or(cmp.Compare(k.degree, o.degree), strings.Compare(k.String(), o.String()))
}

// readSearch begins the frontiers of another search.
func readSearch(line string, found map[search]map[int][]Point) (map[int][]Point, error) {
	var k search
	var op, way string
	_, err := fmt.Sscanf(line, "degree %d %s %s tries %d seed %d", &k.degree, &op, &way, &k.opts.tries, &k.opts.seed)
	for o := bfb.AllGather; o <= bfb.AllReduce; o++ {
		if o.String() == op {
			k.opts.op = o
		}
	}
	k.opts.bidirectional = way == "two-way"
	// A line that was not understood would print differently.
	if err != nil || k.String() != line {
		return nil, fmt.Errorf("%q is not a search: want one like %q", line, search{4, options{op: bfb.AllReduce, tries: DefaultTries}})
	}
	if found[k] != nil {
		return nil, fmt.Errorf("%q occurs twice", line)
	}
	found[k] = map[int][]Point{}
	return found[k], nil
}

// readPoints reads the frontier of one size.
func readPoints(line string, frontiers map[int][]Point) error {
	if frontiers == nil {
		return errors.New("points before the first search")
	}
	fields := strings.Split(line, "\t")
	n, err := strconv.Atoi(fields[0])
	if err != nil || n < 2 {
		return fmt.Errorf("%q is not a number of nodes", fields[0])
	}
	if _, ok := frontiers[n]; ok {
		return fmt.Errorf("%d nodes occur twice", n)
	}
	var points []Point
	for _, field := range fields[1:] {
		p, err := readPoint(field, n)
		if err != nil {
			return fmt.Errorf("%q: %w", field, err)
		}
		if last := len(points) - 1; last >= 0 && (points[last].Steps >= p.Steps || points[last].Bandwidth.Cmp(p.Bandwidth) <= 0) {
			return fmt.Errorf("%q does not trade steps for bandwidth", field)
		}
		points = append(points, p)
	}
	frontiers[n] = points
	return nil
}

var methods = []Method{MethodBFB, MethodLine, MethodDegree, MethodPower, MethodProduct, MethodBidirect}

// readPoint reads one point: steps, bandwidth, method and expression.
func readPoint(field string, n int) (Point, error) {
	words := strings.Split(field, " ")
	if len(words) != 4 {
		return Point{}, errors.New("want steps, bandwidth, method and expression")
	}
	steps, err := strconv.Atoi(words[0])
	if err != nil || steps < 1 {
		return Point{}, errors.New("want at least one step")
	}
	bandwidth, err := readFraction(words[1])
	if err != nil {
		return Point{}, err
	}
	if !slices.Contains(methods, Method(words[2])) {
		return Point{}, fmt.Errorf("want a method out of %v", methods)
	}
	expr, err := topology.ParseExpr(words[3])
	if err != nil {
		return Point{}, err
	}
	if expr.Nodes() != n {
		return Point{}, fmt.Errorf("the topology has %d nodes, not %d", expr.Nodes(), n)
	}
	return Point{expr, Cost{steps, bandwidth}, Method(words[2])}, nil
}

func readFraction(text string) (*big.Rat, error) {
	// No exponents: their values take more memory than their text.
	if strings.Trim(text, "0123456789/") == "" {
		if x, ok := new(big.Rat).SetString(text); ok && x.Sign() > 0 && x.String() == text {
			return x, nil
		}
	}
	return nil, errors.New("want a bandwidth p/q in lowest terms")
}
