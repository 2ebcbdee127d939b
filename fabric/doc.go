// Package fabric describes the machine that a plan is for: the number of GPUs and ports,
// bandwidth and latencies, and the cost of reconfiguring the circuits. A fabric is assembled
// from presets, YAML files and single settings; later ones override earlier ones.
package fabric
