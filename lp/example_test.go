package lp_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/lp"
)

// The least x + 2y with x + y >= 3 and y >= 1.
func ExampleCovering() {
	p := lp.NewCovering([]float64{1, 2})
	p.Add(3, lp.Term{Column: 0, Value: 1}, lp.Term{Column: 1, Value: 1})
	p.Add(1, lp.Term{Column: 1, Value: 1})
	fmt.Println(p.Solve())
	fmt.Println("prices", p.Prices)
	// Output:
	// [2 1] true
	// prices [1 1]
}

// A row that the corner falls short of moves it.
func ExampleCorner() {
	c := lp.NewCorner(1, 2)
	c.Add(3, 1, 1)
	fmt.Println(c.Solve(), c.X)
	c.Add(1, 0, 1)
	fmt.Println(c.Solve(), c.X, c.Least())
	// Output:
	// true [3 0]
	// true [2 1] 4
}

// There are three units of flour and two hours of oven time. A product that sells for 2 takes
// one of each; a product that sells for 3 takes two units of flour and one hour.
func ExamplePacking() {
	p := lp.NewPacking([]float64{3, 2})
	p.Optimise([]lp.Column{
		{Number: 0, Weight: 2, Rows: []int32{0, 1}, Values: []float64{1, 1}},
		{Number: 1, Weight: 3, Rows: []int32{0, 1}, Values: []float64{2, 1}},
	})
	for number, value := range p.Values() {
		fmt.Printf("column %d: %.2f\n", number, value)
	}
	fmt.Printf("prices %.2f\n", p.Prices)
	// Output:
	// column 1: 1.00
	// column 0: 1.00
	// prices [1.00 1.00]
}

// Four bytes are divided over two links, the second three times as fast as the first.
func ExampleBalance() {
	m := lp.NewBalance([]float64{1, 3}, []float64{4}, []lp.Column{{Rows: []int32{0}, Values: []float64{1}}})
	m.Add(lp.Column{Rows: []int32{1}, Values: []float64{1}})
	if done, err := m.Optimise(context.Background(), 100); !done || err != nil {
		fmt.Println(done, err)
	}
	m.RemovePerturbation(m.CleanPeak())
	fmt.Printf("peak %.2f: %.2f\n", m.Peak(), m.Values())
	// Output:
	// peak 1.00: [1.00 3.00]
}
