package wire

import (
	"time"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// Circuit leads from a port of one rank to a port of another. On a duplex fabric the reverse
// direction is a separate circuit between the same ports.
type Circuit struct {
	From, FromPort, To, ToPort int
}

// Cross returns the circuit in the controller's port numbers: ingress, egress.
func (c Circuit) Cross(nodes, ports int) [2]int {
	return [2]int{c.From*ports + c.FromPort + 1, (nodes+c.To)*ports + c.ToPort + 1}
}

// RankConfig is what the coordinator tells a rank.
type RankConfig struct {
	Switch  string        `json:"switch"`  // address
	Type    string        `json:"type"`    // of elements
	Seed    uint64        `json:"seed"`    // of the inputs
	Packet  int           `json:"packet"`  // bytes of a data frame
	Beat    time.Duration `json:"beat"`    // between signs of life
	Through bool          `json:"through"` // relayed data cuts through
	// Free ranks begin the steps of a stage by themselves, each one Startup after they have
	// ended the previous step.
	Free    bool          `json:"free,omitempty"`
	Startup time.Duration `json:"startup,omitempty"`
	// Slow multiplies the start-ups of steps if these differ; 0: all are Startup.
	Slow float64 `json:"slow,omitempty"`
	// Jobs says that the rank computes and communicates on request (Compute, Perform), instead
	// of going through the steps of one plan. Steps is the number of steps of all jobs.
	Jobs  bool `json:"jobs,omitempty"`
	Steps int  `json:"steps,omitempty"`
	// Carry makes steps begin before their circuits are up: data for a circuit waits until the
	// coordinator says that the circuits of its stage are up (Connected), and then for the
	// start-up.
	Carry bool `json:"carry,omitempty"`
	// Injected is the fault that the rank is to inject, for tests; "": none.
	Injected string        `json:"injected,omitempty"`
	InStep   int           `json:"in_step,omitempty"` // step of the fault; 0: at a time
	At       time.Duration `json:"at,omitempty"`      // since the first step
}

// SwitchConfig is what the coordinator tells the switch.
type SwitchConfig struct {
	Nodes int   `json:"nodes"`
	Ports int   `json:"ports"`
	Ranks []int `json:"ranks"` // that will connect their ports
	// PicosecondsPerByte is the pace of a circuit, and Delta its propagation delay; a pace of 0
	// is no limit.
	PicosecondsPerByte float64       `json:"picoseconds_per_byte"`
	Delta              time.Duration `json:"delta"`
	Beside             Beside        `json:"beside"`
	Beat               time.Duration `json:"beat"`
	Harms              []Harm        `json:"harms,omitempty"`
	// Control is the protocol by which a controller sets circuits; "": Connect sets them.
	Control  string        `json:"control,omitempty"`
	Injected string        `json:"injected,omitempty"` // as for a rank
	InStep   int           `json:"in_step,omitempty"`
	At       time.Duration `json:"at,omitempty"`
}

// Beside is the paths that a switch has besides circuits and that are always up. After the
// optical ports of a rank comes the port of its island, if there is one, and then the ports of
// its fixed links.
type Beside struct {
	Plugs      int      `json:"plugs"`            // total number of ports of a rank
	Island     int      `json:"island,omitempty"` // ranks of an island
	IslandPace Pace     `json:"island_pace,omitzero"`
	Links      [][4]int `json:"links,omitempty"` // as in Circuit
	LinkPace   Pace     `json:"link_pace,omitzero"`
}

// Pace is the time per byte and the propagation delay.
type Pace struct {
	PicosecondsPerByte float64       `json:"picoseconds_per_byte"`
	Delta              time.Duration `json:"delta"`
}

// Harm is an injected fault of the circuits between two ranks, from a step on or from some time
// after the first circuits are up: they fail, take Slow times longer, or corrupt what they
// carry.
type Harm struct {
	From, To int
	Step     int
	At       time.Duration
	Slow     float64 `json:",omitempty"` // 0: not slowed
	Corrupt  bool    `json:",omitempty"`
}

// StepMessage starts a step.
type StepMessage struct {
	Step int `json:"step"`
}

// BeatMessage is a heartbeat.
type BeatMessage struct {
	Step int `json:"step"`
	// Peer is the rank whose data is missing; -1: none is.
	Peer  int           `json:"peer"`
	Moved int64         `json:"moved"` // bytes so far, to detect progress
	Clock time.Duration `json:"clock"` // of the sender
}

// DoneMessage says that a rank has nothing left to do in a step.
type DoneMessage struct {
	Step  int           `json:"step"`
	Took  time.Duration `json:"took"`  // since the step began here
	Clock time.Duration `json:"clock"` // of the sender
}

// ComputeMessage tells a rank to compute.
type ComputeMessage struct {
	Job       int           `json:"job"`       // for the answer
	Iteration int           `json:"iteration"` // from 1
	Takes     time.Duration `json:"takes"`
	Burn      bool          `json:"burn,omitempty"` // keep a processor busy
}

// ProgramID says what a group executes: the plan of a collective, or a send.
type ProgramID struct {
	Plan int `json:"plan,omitempty"` // of the iteration, from 1; 0: it is a send
	// For a send: its bytes, the hops of its route, whether the route is in the island, and its
	// start-up.
	Bytes   int64          `json:"bytes,omitempty"`
	Hops    int            `json:"hops,omitempty"`
	Island  bool           `json:"island,omitempty"`
	Startup units.Duration `json:"startup_ns,omitzero"`
}

// PerformMessage tells a rank to do steps of a communication of its group, one after the other.
type PerformMessage struct {
	Job       int       `json:"job"`       // for the answer
	Iteration int       `json:"iteration"` // from 1
	Program   ProgramID `json:"program"`
	Group     []int     `json:"group"` // ranks, by place
	Seed      uint64    `json:"seed"`  // of the inputs
	// Base is the number of the communication's first step in data frames. First and Last are
	// the steps to do, from 0.
	Base  int `json:"base"`
	First int `json:"first"`
	Last  int `json:"last"`
	// Ports are the ports of this rank from which circuits lead, each with the place at the
	// other end.
	Ports [][2]int `json:"ports,omitempty"` // place, port
}

// ResultMessage is a rank's verdict on its data.
type ResultMessage struct {
	Wrong   string `json:"wrong,omitempty"` // "": all is as the operation promises
	Chunks  int    `json:"chunks"`          // that were checked
	Bytes   int64  `json:"bytes"`           // of these chunks
	Relayed int64  `json:"relayed"`         // bytes that were only forwarded
	Job     int    `json:"job,omitempty"`   // whose result it is, in an iteration
}

// ReadyMessage says that a member has all its connections.
type ReadyMessage struct {
	// Control is the address at which a switch waits for its controller; "": it has none.
	Control string `json:"control,omitempty"`
}

// ExpectMessage says which circuits the controller is going to request, and how long each port
// is then dark. The switch answers with an empty ExpectMessage.
type ExpectMessage struct {
	Requests []ConnectMessage `json:"requests,omitempty"`
}

// ConnectMessage sets circuits. If a controller sets them, it asks whether they are up.
type ConnectMessage struct {
	Stage    int           `json:"stage"`
	Circuits [][4]int      `json:"circuits"` // as in Circuit
	Dark     time.Duration `json:"dark"`     // of ports that change
	// Partial keeps circuits up that share no fibre with the given ones; otherwise the given
	// ones are all circuits. If Partial is set, Stage is only a number for the answer.
	Partial bool `json:"partial,omitempty"`
}

// List returns the circuits of the message.
func (m *ConnectMessage) List() []Circuit {
	return each.Of(m.Circuits, func(c [4]int) Circuit {
		return Circuit{From: c[0], FromPort: c[1], To: c[2], ToPort: c[3]}
	})
}

// ConnectedMessage says that circuits are up.
type ConnectedMessage struct {
	Stage   int           `json:"stage"`
	Changed int           `json:"changed"` // number of new circuits
	Dark    time.Duration `json:"dark"`    // measured
	Clock   time.Duration `json:"clock"`
}

// FaultMessage says what went wrong, where.
type FaultMessage struct {
	Kind   string `json:"kind"`
	Rank   int    `json:"rank"` // -1: none in particular
	Step   int    `json:"step"`
	Peer   int    `json:"peer"` // -1: none in particular
	Detail string `json:"detail"`
	Port   *int   `json:"port,omitempty"` // of the reporting rank, where the invalid data arrived
}

// StatsMessage is the bytes that the switch has carried.
type StatsMessage struct {
	Circuits [][3]int64 `json:"circuits"`         // from, to, bytes
	Island   int64      `json:"island,omitempty"` // bytes within islands
	Fixed    int64      `json:"fixed,omitempty"`  // bytes over fixed links
	// Commands is how many commands of its controller the switch has executed.
	Commands int `json:"commands,omitempty"`
}

// EndMessage ends a run.
type EndMessage struct {
	Reason string `json:"reason,omitempty"`
}
