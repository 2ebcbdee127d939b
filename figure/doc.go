// Package figure makes pictures of answers: plans, sweeps, comparisons, tuning tables. It
// chooses the chart and the wording; package chart draws. Every picture says where its numbers
// come from: the model, packets or an emulation, which are three different clocks.
package figure

import (
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/fabric"
)

// Numbers come from these clocks.
const (
	ofModel   = "Model time: start-up, hops, bytes on the busiest circuit, reconfigurations"
	ofPackets = "Packet time: every packet simulated"
)

// told are the settings by which pictures describe a fabric.
var told = []string{"nodes", "ports", "bandwidth", "alpha", "delta", "reconfig", "sync", "overlap", "duplex", "initial", "base"}

// machine describes a fabric in one line, except some settings.
func machine(f *fabric.Fabric, but ...string) string {
	names := slices.DeleteFunc(slices.Clone(told), func(name string) bool { return slices.Contains(but, name) })
	return strings.Join(f.Phrases(names...), ", ")
}
