package mscclpp

import "github.com/lightpath-net/lightpath/compile/program"

// Document is an execution plan. Unknown members of a file are dropped.
type Document struct {
	Name            string `json:"name"`
	Collective      string `json:"collective"`
	Protocol        string `json:"protocol"`
	InPlace         bool   `json:"inplace"`
	ReuseResources  bool   `json:"reuse_resources"`
	DoubleScratch   bool   `json:"use_double_scratch_buffer"`
	BufferAlignment int    `json:"buffer_alignment"`
	ThreadsPerBlock int    `json:"num_threads_per_block"`
	MinMessageSize  int64  `json:"min_message_size"`
	MaxMessageSize  uint64 `json:"max_message_size"`
	GPUs            []GPU  `json:"gpus"`
}

// GPU is what one rank does.
type GPU struct {
	ID            int            `json:"id"`
	InputChunks   int            `json:"input_chunks"`
	OutputChunks  int            `json:"output_chunks"`
	ScratchChunks int            `json:"scratch_chunks"`
	Channels      []Channels     `json:"channels"`
	RemoteBuffers []RemoteBuffer `json:"remote_buffers"`
	Semaphores    []Semaphore    `json:"semaphores"`
	ThreadBlocks  []ThreadBlock  `json:"threadblocks"`
}

// ChannelType is how a channel moves bytes.
type ChannelType string

// The types: with Memory, threads of the GPU write to the peer's memory; with Port, a proxy
// sends.
const (
	Memory ChannelType = "memory"
	Port   ChannelType = "port"
)

// Channels lists the peers of channels of one type. A channel's number is its position
// among all of its type.
type Channels struct {
	Type        ChannelType `json:"channel_type"`
	ConnectedTo []int       `json:"connected_to"`
}

// RemoteBuffer is a buffer of a peer; its position is its number.
type RemoteBuffer struct {
	Rank   int           `json:"rank"`
	Type   string        `json:"type"`
	Access []ChannelType `json:"access_channel_types"`
}

// Semaphore is a semaphore between thread blocks.
type Semaphore struct {
	InitValue int `json:"init_value"`
}

// ThreadBlock is a list of operations. Operations name channels and remote buffers by their
// positions in the block's own lists.
type ThreadBlock struct {
	ID         int          `json:"id"`
	Ops        []Operation  `json:"ops"`
	Channels   []ChannelIDs `json:"channels"`
	RemoteRefs []RemoteRefs `json:"remote_buffer_refs,omitempty"`
}

// ChannelIDs are channels that a thread block uses.
type ChannelIDs struct {
	Type ChannelType `json:"channel_type"`
	IDs  []int       `json:"channel_ids"`
}

// RemoteRefs are remote buffers that a thread block uses.
type RemoteRefs struct {
	Type ChannelType `json:"access_channel_type"`
	IDs  []int       `json:"remote_buffer_ids"`
}

// Operation is a step of a thread block.
type Operation struct {
	Name            string      `json:"name"`
	ChannelType     ChannelType `json:"channel_type,omitempty"`
	ChannelIDs      []int       `json:"channel_ids,omitempty"`
	Src             []Chunk     `json:"src_buff,omitempty"`
	Dst             []Chunk     `json:"dst_buff,omitempty"`
	BarrierID       *int        `json:"barrier_id,omitempty"`
	ThreadBlocks    int         `json:"num_threadblocks,omitempty"`
	SemaphoreIDs    []int       `json:"semaphore_ids,omitempty"`
	ThreadBlockPart any         `json:"tbg_info,omitempty"`
	Nested          []Operation `json:"ops,omitempty"`
}

// Chunk is chunks of a local or of a remote buffer.
type Chunk struct {
	Type     string `json:"type,omitempty"`
	BufferID *int   `json:"buffer_id,omitempty"`
	SwitchID *int   `json:"switch_channel_id,omitempty"`
	Index    int    `json:"index"`
	Size     int    `json:"size"`
}

// Limits of the executor, as of August 2026. The loader checks the number of operations; beyond
// the other limits, the kernel writes past the ends of arrays.
const (
	maxOps        = 64 // of a thread block
	maxChannels   = 16 // of one type in a thread block; also remote buffers
	maxPerOp      = 8  // channels of an operation
	maxBuffers    = 10 // operands of an operation
	maxSemaphores = 16 // of a GPU
	maxBarriers   = 16
	// The proxy identifies memories by 9 bits and channels by 10. Three of the memories are the
	// GPU's own buffers.
	maxPortBuffers  = 1<<9 - 3
	maxPortChannels = 1 << 10
)

// Limits returns the limits that matter for lowering. Offsets are 32-bit numbers of bytes, so
// only the checker's capacity bounds the number of chunks.
func Limits() *program.Limits { return &program.Limits{Runtime: "MSCCL++", Offset: maxChunks - 1} }
