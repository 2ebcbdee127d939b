package compile

import (
	"fmt"
	"slices"
	"strings"
)

// Format is what a plan is compiled to.
type Format string

// The formats.
const (
	MSCCL     Format = "msccl"     // XML of MSCCL
	RCCL      Format = "rccl"      // its dialect for RCCL
	MSCCLPP   Format = "mscclpp"   // execution plan of MSCCL++, JSON
	ASTRA     Format = "astra"     // ASTRA-sim: Chakra traces, system, network
	HARVEST   Format = "harvest"   // HARVEST's schedule, JSON
	Dot       Format = "dot"       // Graphviz
	Edges     Format = "edges"     // edge lists, CSV
	Timetable Format = "timetable" // cross-connects of the optical switches
)

// Formats lists them in the order of their documentation.
func Formats() []Format {
	return []Format{MSCCL, RCCL, MSCCLPP, ASTRA, HARVEST, Dot, Edges, Timetable}
}

// ParseFormat returns the format of that name.
func ParseFormat(name string) (Format, error) {
	if f := Format(name); slices.Contains(Formats(), f) {
		return f, nil
	}
	names := make([]string, len(Formats()))
	for i, f := range Formats() {
		names[i] = string(f)
	}
	return "", fmt.Errorf("unknown format %q; use %s", name, strings.Join(names, ", "))
}
