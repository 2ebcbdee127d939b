package compile

// Format is what a plan is compiled to.
type Format string

// The formats.
const (
	MSCCL     Format = "msccl"     // XML of MSCCL
	RCCL      Format = "rccl"      // its dialect for RCCL
	MSCCLPP   Format = "mscclpp"   // execution plan of MSCCL++, JSON
	Torch     Format = "torch"     // Python module for PyTorch
	ASTRA     Format = "astra"     // ASTRA-sim: Chakra traces, system, network
	HARVEST   Format = "harvest"   // HARVEST's schedule, JSON
	Dot       Format = "dot"       // Graphviz
	Edges     Format = "edges"     // edge lists, CSV
	Timetable Format = "timetable" // cross-connects of the optical switches
)
