package reproduce_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/reproduce"
	"github.com/lightpath-net/lightpath/units"
)

func ExampleFind() {
	entries, err := reproduce.Find("reconfigure-or-not/example/best")
	if err != nil {
		fmt.Println(err)
		return
	}
	row, err := entries[0].Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("published %v%s, ours %v%s: %s\n", row.Published, row.Unit, *row.Ours, row.Unit, row.Verdict)
	// Output: published 30T, ours 28T: better
}

// A figure is found by its ID and drawn in the paper's own axes; every picture is an SVG file.
func ExampleDraw() {
	best := func(context.Context, fabric.Fabric, collective.Op, units.Bytes) (func(units.Duration) units.Time, error) {
		return nil, errors.New("this figure has no plans of ours")
	}
	pictures, err := reproduce.Draw(context.Background(), reproduce.FindPanels("harvest/fig3"), false, best, func(int, int) {})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range pictures {
		fmt.Println(p.ID, strings.HasPrefix(p.SVG, "<svg"), p.Title)
	}
	// Output: harvest/fig3 true Recursive doubling: schedules between BvN and static
}
