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

// phrases are how a picture describes the settings of a fabric; it leaves out the others.
var phrases = map[string]string{
	"nodes": "%s GPUs", "ports": "%s ports", "bandwidth": "%s per port", "alpha": "alpha %s", "delta": "delta %s",
	"reconfig": "reconfiguration %s",
}

// unusual are the phrases of settings that are mentioned only if they are not the default.
var unusual = map[string]string{
	"sync": "barrier %s", "overlap": "overlap %s", "duplex": "duplex", "initial": "initially %s", "base": "base %s",
}

// machine describes a fabric in one line, except some settings.
func machine(f *fabric.Fabric, but ...string) string {
	var told []string
	usual := fabric.Default()
	for _, s := range fabric.Settings() {
		value := s.Get(f)
		phrase, ok := phrases[s.Name]
		if !ok && value != s.Get(&usual) {
			phrase, ok = unusual[s.Name]
		}
		if s.Name == "ports" && f.Ports == 1 {
			phrase = "%s port"
		}
		if ok && !slices.Contains(but, s.Name) {
			told = append(told, strings.Replace(phrase, "%s", value, 1))
		}
	}
	return strings.Join(told, ", ")
}
