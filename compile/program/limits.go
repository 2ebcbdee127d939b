package program

// Limits are the limits of a runtime. A zero means no limit.
type Limits struct {
	Runtime    string
	Ranks      int // of a communicator
	Blocks     int // thread blocks of a rank
	Channels   int
	Steps      int // of a thread block
	Count      int // chunks of an operation
	Offset     int // highest offset into a buffer
	Awaited    int // highest thread block that another can wait for
	PerChannel int // sending, and receiving, thread blocks of a rank on one channel
	Elements   int // kept by a rank's reader: the file, the ranks, its own blocks and steps
	// Fusion is after how many reductions of a thread block the loader stops merging them; 0: it
	// merges none.
	Fusion int
	Merged int // reductions that the kernel executes as one
	// Fused says that receives can be joined with reductions and with sends.
	Fused bool
}
