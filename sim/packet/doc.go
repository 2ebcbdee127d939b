// Package packet is the packet level of the simulator: it follows every packet of streams over
// bundles of circuits, exactly, in trains and without a central queue of events. Package sim has
// the rules and lays phases out for it.
package packet
