package program

// Limits are what a runtime can take. A zero means no limit.
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
	Elements   int // what the reader of a rank keeps: the file, the ranks, its own blocks and steps
	// Fusion is how many reductions of a thread block the loader reads until it no longer
	// merges them with the next; 0: it merges none.
	Fusion int
	Merged int // reductions that the kernel carries out as one
	// Fused: receiving can be joined with reducing and with sending on.
	Fused bool
}
