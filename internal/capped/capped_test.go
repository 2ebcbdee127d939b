package capped_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/lightpath-net/lightpath/internal/capped"
)

func ExamplePower() {
	fmt.Println(capped.Power(2, 10, 10_000), capped.Power(10, 10, 10_000), capped.Power[int64](1, 1<<60, 7))
	// Output: 1024 10000 1
}

// TestNothingOverflows compares with whole numbers of any size, among them the largest limits.
func TestNothingOverflows(t *testing.T) {
	numbers := []int64{0, 1, 2, 3, 4, 7, 10, 63, 1 << 20, 1<<31 - 1, 1 << 31, 3037000499, 3037000500, 1 << 40, math.MaxInt64 - 1, math.MaxInt64}
	for _, a := range numbers {
		for _, b := range numbers {
			product := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
			for _, limit := range numbers {
				if got := capped.Times(a, b, limit); got != atMost(product, limit) {
					t.Errorf("%d times %d, at most %d: %d", a, b, limit, got)
				}
			}
		}
		for exponent := range int64(70) {
			power := new(big.Int).Exp(big.NewInt(a), big.NewInt(exponent), nil)
			for _, limit := range numbers {
				if got := capped.Power(a, exponent, limit); got != atMost(power, limit) {
					t.Errorf("%d to the power of %d, at most %d: %d", a, exponent, limit, got)
				}
			}
		}
	}
}

func atMost(n *big.Int, limit int64) int64 {
	if n.Cmp(big.NewInt(limit)) >= 0 {
		return limit
	}
	return n.Int64()
}
