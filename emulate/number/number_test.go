package number_test

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/emulate/number"
)

// TestBFloat16RoundsToNearestEven compares sums with exact arithmetic, rounded by big.Float.
func TestBFloat16RoundsToNearestEven(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	value := func(bits uint16) *big.Float {
		return big.NewFloat(float64(math.Float32frombits(uint32(bits) << 16)))
	}
	for range 200000 {
		// Exponents near each other, so that rounding matters, and far from overflow.
		a := uint16(random.Uint32N(1<<15)%0x1000 + 0x3800 | random.Uint32N(2)<<15)
		b := uint16(random.Uint32N(1<<15)%0x1000 + 0x3800 | random.Uint32N(2)<<15)
		dst, src := binary.LittleEndian.AppendUint16(nil, a), binary.LittleEndian.AppendUint16(nil, b)
		number.BFloat16.Add(dst, src)
		got := value(binary.LittleEndian.Uint16(dst))
		exact := new(big.Float).SetPrec(200).Add(value(a), value(b))
		want := new(big.Float).SetPrec(8).SetMode(big.ToNearestEven).Set(exact)
		if got.Cmp(want) != 0 {
			t.Fatalf("%#04x + %#04x = %v; want %v", a, b, got, want)
		}
	}
}

func TestAddIsElementwise(t *testing.T) {
	for _, dtype := range number.Types() {
		data := number.Data{Type: dtype, Seed: 3, Nodes: 4}
		a, b := make([]byte, 24*dtype.Size()), make([]byte, 24*dtype.Size())
		data.Fill(a, 0, 0, true)
		data.Fill(b, 1, 0, true)
		whole := append([]byte(nil), a...)
		dtype.Add(whole, b)
		for i := 0; i < len(a); i += dtype.Size() {
			one := append([]byte(nil), a[i:i+dtype.Size()]...)
			dtype.Add(one, b[i:i+dtype.Size()])
			if string(one) != string(whole[i:i+dtype.Size()]) {
				t.Errorf("%s: element %d alone gives another sum", dtype, i/dtype.Size())
			}
		}
	}
	if sum := []byte{0xff, 0xff, 0xff, 0x7f}; true {
		number.Int32.Add(sum, []byte{1, 0, 0, 0})
		if binary.LittleEndian.Uint32(sum) != 0x80000000 {
			t.Errorf("int32 does not wrap around: %x", sum)
		}
	}
}

// reduce sums the contributions of nodes in a random order and tree. depth is the largest number
// of additions that a contribution went through.
func reduce(data *number.Data, chunk, elements int, nodes []int, random *rand.Rand) (sum []byte, depth int) {
	type partial struct {
		buffer []byte
		depth  int
	}
	var parts []partial
	for _, u := range nodes {
		b := make([]byte, elements*data.Type.Size())
		data.Fill(b, u, chunk, true)
		parts = append(parts, partial{b, 0})
	}
	for len(parts) > 1 {
		i := random.IntN(len(parts) - 1)
		data.Type.Add(parts[i].buffer, parts[i+1].buffer)
		parts[i].depth = max(parts[i].depth, parts[i+1].depth) + 1
		parts = append(parts[:i+1], parts[i+2:]...)
	}
	return parts[0].buffer, parts[0].depth
}

func TestSumsInAnyOrderPassTheCheck(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for _, dtype := range number.Types() {
		for _, n := range []int{2, 3, 16, 64, 200} {
			data := &number.Data{Type: dtype, Seed: uint64(n), Nodes: n}
			nodes := make([]int, n)
			for i := range nodes {
				nodes[i] = i
			}
			random.Shuffle(n, func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
			sum, depth := reduce(data, 5, 301, nodes, random)
			if err := data.Check(sum, 5, nodes, true, depth); err != nil {
				t.Errorf("%s, %d nodes: %v", dtype, n, err)
			}
		}
	}
}

// TestWrongSumsFailTheCheck: the check detects a contribution that is missing, counted twice or
// of another chunk, and a single wrong bit in an element that is checked exactly.
func TestWrongSumsFailTheCheck(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for _, dtype := range number.Types() {
		for _, n := range []int{2, 8, 64} {
			data := &number.Data{Type: dtype, Seed: uint64(n), Nodes: n}
			var all []int
			for u := range n {
				all = append(all, u)
			}
			depth := n - 1
			missing, _ := reduce(data, 1, 64, all[1:], random)
			twice, _ := reduce(data, 1, 64, append([]int{n - 1}, all...), random)
			other, _ := reduce(data, 2, 64, all, random)
			flipped, _ := reduce(data, 1, 64, all, random)
			flipped[0] ^= 1
			for name, wrong := range map[string][]byte{"missing": missing, "twice": twice, "other chunk": other, "flipped": flipped} {
				if data.Check(wrong, 1, all, true, depth) == nil {
					t.Errorf("%s, %d nodes: %s passes", dtype, n, name)
				}
			}
		}
	}
}

func TestMovedBytesAreCheckedBitForBit(t *testing.T) {
	for _, dtype := range number.Types() {
		data := number.Data{Type: dtype, Seed: 9, Nodes: 4}
		b := make([]byte, 1001*dtype.Size())
		data.Fill(b, 2, 7, false)
		if err := data.Check(b, 7, []int{2}, false, 0); err != nil {
			t.Errorf("%s: %v", dtype, err)
		}
		if data.Check(b, 8, []int{2}, false, 0) == nil {
			t.Errorf("%s: another chunk passes", dtype)
		}
		for _, at := range []int{0, 500, len(b) - 1} {
			b[at] ^= 0x80
			if data.Check(b, 7, []int{2}, false, 0) == nil {
				t.Errorf("%s: a flipped bit at %d passes", dtype, at)
			}
			b[at] ^= 0x80
		}
	}
}

func TestParseNamesTheTypes(t *testing.T) {
	for _, dtype := range number.Types() {
		if got, err := number.Parse(string(dtype)); err != nil || got != dtype {
			t.Errorf("%v, %v", got, err)
		}
	}
	if _, err := number.Parse("float8"); err == nil {
		t.Error("float8 is known")
	}
}
