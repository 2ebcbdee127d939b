package wire

import (
	"time"

	"github.com/lightpath-net/lightpath/units"
)

// Circuit leads from a port of one rank to a port of another. On a duplex fabric the reverse
// direction is a separate circuit between the same ports.
type Circuit struct {
	From, FromPort, To, ToPort int
}

// Cross is the circuit as the switch's controller numbers ports: ingress, egress.
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
	// Free ranks begin the steps of a stage on their own, each Startup after the one before has
	// ended there.
	Free    bool          `json:"free,omitempty"`
	Startup time.Duration `json:"startup,omitempty"`
	// Slow multiplies the start-ups of steps where they differ; 0: all are Startup.
	Slow float64 `json:"slow,omitempty"`
	// Jobs says that the rank computes and communicates as it is told (Compute, Perform), instead
	// of going through the steps of one plan. Steps is how many those of all jobs are.
	Jobs  bool `json:"jobs,omitempty"`
	Steps int  `json:"steps,omitempty"`
	// Carry has steps begin before their circuits are up: data for a circuit waits until
	// the coordinator says that those of its stage are (Connected), and the start-up.
	Carry bool `json:"carry,omitempty"`
	// Injected is what the rank is to do wrong, for tests of faults; "": nothing.
	Injected string        `json:"injected,omitempty"`
	InStep   int           `json:"in_step,omitempty"` // when; 0: at a time
	At       time.Duration `json:"at,omitempty"`      // since the first step
}

// SwitchConfig is what the coordinator tells the switch.
type SwitchConfig struct {
	Nodes int   `json:"nodes"`
	Ports int   `json:"ports"`
	Ranks []int `json:"ranks"` // that will connect their ports
	// PicosecondsPerByte is the pace of a circuit, Delta its propagation; 0 is no limit.
	PicosecondsPerByte float64       `json:"picoseconds_per_byte"`
	Delta              time.Duration `json:"delta"`
	Beside             Beside        `json:"beside"`
	Beat               time.Duration `json:"beat"`
	Harms              []Harm        `json:"harms,omitempty"`
	// Control is the protocol in which a controller sets circuits; "": Connect sets them.
	Control  string        `json:"control,omitempty"`
	Injected string        `json:"injected,omitempty"` // as for a rank
	InStep   int           `json:"in_step,omitempty"`
	At       time.Duration `json:"at,omitempty"`
}

// Beside is what a switch has beside circuits: paths that are always up. After the optical ports of
// a rank comes that of its island, if there is one, and then those of its fixed links.
type Beside struct {
	Plugs      int      `json:"plugs"`            // ports of a rank, all together
	Island     int      `json:"island,omitempty"` // ranks of an island
	IslandPace Pace     `json:"island_pace,omitzero"`
	Links      [][4]int `json:"links,omitempty"` // as in Circuit
	LinkPace   Pace     `json:"link_pace,omitzero"`
}

// Pace is how fast bytes go, and how long they are on their way.
type Pace struct {
	PicosecondsPerByte float64       `json:"picoseconds_per_byte"`
	Delta              time.Duration `json:"delta"`
}

// Harm is what happens to the circuits between two ranks, with a step or some time after the first
// circuits are up: they fail, or take Slow times as long, or change what they carry.
type Harm struct {
	From, To int
	Step     int
	At       time.Duration
	Slow     float64 `json:",omitempty"` // 0: not that
	Corrupt  bool    `json:",omitempty"`
}

// StepMessage starts a step.
type StepMessage struct {
	Step int `json:"step"`
}

// BeatMessage is a sign of life.
type BeatMessage struct {
	Step int `json:"step"`
	// Peer is the rank whose data is missing; -1: none is.
	Peer  int           `json:"peer"`
	Moved int64         `json:"moved"` // bytes so far: whether there is progress
	Clock time.Duration `json:"clock"` // of the sender
}

// DoneMessage says that a rank has nothing left to do in a step.
type DoneMessage struct {
	Step  int           `json:"step"`
	Took  time.Duration `json:"took"`  // since the step began here
	Clock time.Duration `json:"clock"` // of the sender
}

// ComputeMessage has a rank compute.
type ComputeMessage struct {
	Job       int           `json:"job"`       // for the answer
	Iteration int           `json:"iteration"` // from 1
	Takes     time.Duration `json:"takes"`
	Burn      bool          `json:"burn,omitempty"` // a processor is kept busy
}

// ProgramID says what a group carries out: the plan of a collective, or a send.
type ProgramID struct {
	Plan int `json:"plan,omitempty"` // of the iteration, from 1; 0: it is a send
	// Of a send: its bytes, the hops on its way, whether that is the island's, and its start-up.
	Bytes   int64          `json:"bytes,omitempty"`
	Hops    int            `json:"hops,omitempty"`
	Island  bool           `json:"island,omitempty"`
	Startup units.Duration `json:"startup_ns,omitzero"`
}

// PerformMessage has a rank carry out steps of a communication of its group, one after the other.
type PerformMessage struct {
	Job       int       `json:"job"`       // for the answer
	Iteration int       `json:"iteration"` // from 1
	Program   ProgramID `json:"program"`
	Group     []int     `json:"group"` // ranks, by place
	Seed      uint64    `json:"seed"`  // of the inputs
	// Base is the number of the first step of the communication in data frames. First and Last are
	// those to carry out, from 0.
	Base  int `json:"base"`
	First int `json:"first"`
	Last  int `json:"last"`
	// Ports are those of this rank that circuits lead from, each with the place at its end.
	Ports [][2]int `json:"ports,omitempty"` // place, port
}

// ResultMessage is a rank's verdict on its data.
type ResultMessage struct {
	Wrong   string `json:"wrong,omitempty"` // "": all is as the operation promises
	Chunks  int    `json:"chunks"`          // that were checked
	Bytes   int64  `json:"bytes"`           // of these
	Relayed int64  `json:"relayed"`         // bytes that were only passed on
	Job     int    `json:"job,omitempty"`   // whose result it is, in an iteration
}

// ReadyMessage says that somebody has all connections.
type ReadyMessage struct {
	// Control is where a switch waits for its controller; "": it has none.
	Control string `json:"control,omitempty"`
}

// ExpectMessage says which circuits the controller is going to ask for, and how long each port is
// dark then. The switch answers with an empty one.
type ExpectMessage struct {
	Requests []ConnectMessage `json:"requests,omitempty"`
}

// ConnectMessage sets circuits. Where a controller does that, it asks whether they are up.
type ConnectMessage struct {
	Stage    int           `json:"stage"`
	Circuits [][4]int      `json:"circuits"` // as in Circuit
	Dark     time.Duration `json:"dark"`     // of ports that change
	// Partial leaves circuits up that share no fibre with these; otherwise these are all
	// circuits. If Partial, Stage is just a number for the answer.
	Partial bool `json:"partial,omitempty"`
}

// List gives the circuits of the message.
func (m *ConnectMessage) List() []Circuit {
	list := make([]Circuit, len(m.Circuits))
	for i, c := range m.Circuits {
		list[i] = Circuit{From: c[0], FromPort: c[1], To: c[2], ToPort: c[3]}
	}
	return list
}

// ConnectedMessage says that circuits are up.
type ConnectedMessage struct {
	Stage   int           `json:"stage"`
	Changed int           `json:"changed"` // circuits that are new
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
	Port   *int   `json:"port,omitempty"` // of the rank that tells, where what is wrong came in
}

// StatsMessage is what the switch has carried.
type StatsMessage struct {
	Circuits [][3]int64 `json:"circuits"`         // from, to, bytes
	Island   int64      `json:"island,omitempty"` // bytes within islands
	Fixed    int64      `json:"fixed,omitempty"`  // bytes over fixed links
	// Commands is how many of its controller the switch has carried out.
	Commands int `json:"commands,omitempty"`
}

// EndMessage ends a run.
type EndMessage struct {
	Reason string `json:"reason,omitempty"`
}
