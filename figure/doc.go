// Package figure makes pictures of answers: plans, sweeps, comparisons, tuning tables. It
// chooses the chart and the wording; package chart draws. Every picture says where its numbers
// come from: the model, packets or an emulation, which are three different clocks.
package figure

import (
	"fmt"

	"github.com/lightpath-net/lightpath/fabric"
)

// The clocks that numbers come from.
const (
	ofModel   = "Model time: start-up, hops, bytes on the busiest circuit, reconfigurations"
	ofPackets = "Packet time: every packet simulated"
)

// machine describes a fabric in a line.
func machine(f *fabric.Fabric, but ...string) string {
	has := func(name string) bool {
		for _, b := range but {
			if b == name {
				return false
			}
		}
		return true
	}
	text := ""
	add := func(name, format string, args ...any) {
		if has(name) {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf(format, args...)
		}
	}
	add("nodes", "%d GPUs", f.Nodes)
	ports := "ports"
	if f.Ports == 1 {
		ports = "port"
	}
	add("ports", "%d %s", f.Ports, ports)
	add("bandwidth", "%v per port", f.Bandwidth)
	add("alpha", "alpha %v", f.Alpha)
	add("delta", "delta %v", f.Delta)
	add("reconfig", "reconfiguration %v", f.Reconfig)
	if f.Sync > 0 {
		add("sync", "barrier %v", f.Sync)
	}
	if f.Overlap.Kind != fabric.OverlapNone {
		add("overlap", "overlap %v", f.Overlap)
	}
	if f.Duplex {
		add("duplex", "duplex")
	}
	if f.Initial != fabric.InitialFree {
		add("initial", "initially %s", f.Initial)
	}
	if f.Base != "" {
		add("base", "base %s", f.Base)
	}
	return text
}
