// Package packet is the packet level of the simulator: it simulates every packet of streams
// over bundles of circuits exactly, in trains and without a central event queue. Package sim
// defines the rules and prepares phases for it.
package packet
