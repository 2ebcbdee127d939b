package report_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lightpath-net/lightpath/command/designing"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/report"
)

// The text of a design fits on a terminal, also with long names, ranges and reasons.
func TestDesignsFitOnATerminal(t *testing.T) {
	cost, power, worth := parts.Range{Low: 1e6, Likely: 123456789, High: 2e9}, parts.Exactly(9876543), 123456.0
	long := strings.Repeat("long-name-", 9)
	a := &designing.Design{
		Fabric: fabric.Default(), Mix: []designing.MixedOperation{{Op: "reducescatter", SizeBytes: 123456789, Times: 1000}, {Op: "alltoall", SizeBytes: 1, Times: 1}},
		Best: 0, Answer: strings.Repeat("Buy it. ", 40),
		Choices: []designing.Choice{
			{Kind: designing.RailOptimised, Ports: 16, Island: 128, Tiers: 3, IterationNs: 123456789, CostUSD: &cost, PowerW: &power, OnFrontier: true},
			{Kind: designing.Optical, Technology: long, Ports: 16, Island: 128, Layout: long, IterationNs: 123456789, CostUSD: &cost, PowerW: &power, OverBudget: true},
			{Kind: designing.Optical, Technology: "x", Reason: strings.Repeat("there is none ", 20)},
		},
		Worth: []designing.Worth{
			{Technology: long, SwitchingNs: 123456789, PriceUSD: &cost, PortUSD: &worth, Choice: 1, Than: 0},
			{Technology: "x", SwitchingNs: 1, PriceUSD: &power, Than: -1},
		},
	}
	var text bytes.Buffer
	report.Design(&text, a)
	for line := range strings.Lines(text.String()) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("longer than 80: %s", line)
		}
	}
}
