package sweep

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// A frame of a store holds records, one after the other. Texts begin with their length, as a
// varint. Times are the bits of float64 numbers of ns, little-endian; a byte before them says
// which are present.
//
//	spec = 's', identifier, JSON
//	cell = 'c', key (32 bytes), algorithm, planner, reason, reconfigurations (varint),
//	       which times (bits of a byte), the times of those bits
//	cell of an iteration = 'i', as a cell, time of compute, number of policies (varint),
//	       name and time of each
const (
	specRecord      = 's'
	cellRecord      = 'c'
	iterationRecord = 'i'
)

// record is one of either kind.
type record struct {
	kind    byte
	id      string // of a spec
	spec    []byte
	key     Key // of a cell
	outcome Outcome
}

func appendSpec(to []byte, id string, text []byte) []byte {
	return appendText(appendText(append(to, specRecord), id), string(text))
}

func appendText(to []byte, text string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

func appendCell(to []byte, key Key, o *Outcome) []byte {
	kind := byte(cellRecord)
	if o.Iteration != nil {
		kind = iterationRecord
	}
	to = append(append(to, kind), key[:]...)
	to = appendText(appendText(appendText(to, o.Algorithm), o.Planner), o.Reason)
	to = binary.AppendUvarint(to, uint64(max(0, o.Reconfigurations)))
	at := len(to)
	to = append(to, 0)
	for i, t := range o.times() {
		if *t != 0 {
			to[at] |= 1 << i
			to = appendTime(to, *t)
		}
	}
	if i := o.Iteration; i != nil {
		to = binary.AppendUvarint(appendTime(to, i.Compute), uint64(len(i.Policies)))
		for _, policy := range slices.Sorted(maps.Keys(i.Policies)) {
			to = appendTime(appendText(to, policy), i.Policies[policy])
		}
	}
	return to
}

func appendTime(to []byte, t units.Time) []byte {
	return binary.LittleEndian.AppendUint64(to, math.Float64bits(float64(t)))
}

// times lists the times of an outcome in the order in which they are written.
func (o *Outcome) times() [7]*units.Time {
	return [...]*units.Time{&o.Total, &o.Simulated, &o.Baselines.Static, &o.Baselines.EveryStep, &o.Same.Static, &o.Same.EveryStep, &o.OperationBound}
}

// decoder reads the records of frames. It keeps names that occur in many cells only once.
type decoder struct {
	names map[string]string
	rest  []byte
	short bool // the frame was too short
}

// each visits the records of a frame. visit must not keep them.
func (d *decoder) each(frame []byte, visit func(*record) error) error {
	d.rest = frame
	for len(d.rest) > 0 {
		r := record{kind: d.take(1)[0]}
		switch r.kind {
		case specRecord:
			r.id = d.name()
			r.spec = d.text()
		case cellRecord, iterationRecord:
			copy(r.key[:], d.take(len(r.key)))
			o := &r.outcome
			o.Algorithm, o.Planner, o.Reason = d.name(), d.name(), d.name()
			o.Reconfigurations = int(min(d.number(), math.MaxInt32))
			set := d.take(1)[0]
			if set>>len(o.times()) != 0 {
				return errors.New("a cell with more times than there are")
			}
			for i, into := range o.times() {
				if set>>i&1 == 1 {
					*into = d.time()
				}
			}
			if r.kind == iterationRecord {
				o.Iteration = d.iteration()
			}
		default:
			return fmt.Errorf("a record of kind %q, which this version does not know", r.kind)
		}
		if d.short {
			return errors.New("a record that ends too early")
		}
		if err := visit(&r); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) time() units.Time {
	return units.Time(math.Float64frombits(binary.LittleEndian.Uint64(d.take(8))))
}

// iteration reads the additional fields of an iteration.
func (d *decoder) iteration() *Iteration {
	i := &Iteration{Compute: d.time(), Policies: map[string]units.Time{}}
	for range d.number() {
		if d.short {
			break
		}
		name := d.name()
		i.Policies[name] = d.time()
	}
	return i
}

// take returns the next bytes, padded with zeros if there are fewer.
func (d *decoder) take(n int) []byte {
	if n > len(d.rest) {
		d.short, d.rest = true, nil
		return make([]byte, min(n, len(Key{})))
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

func (d *decoder) number() uint64 {
	n, used := binary.Uvarint(d.rest)
	if used <= 0 {
		d.short, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[used:]
	return n
}

func (d *decoder) text() []byte {
	n := d.number()
	if n > uint64(len(d.rest)) {
		d.short, d.rest = true, nil
		return nil
	}
	return d.take(int(n))
}

// name returns a text that is one of few.
func (d *decoder) name() string {
	text := d.text()
	if known, ok := d.names[string(text)]; ok {
		return known
	}
	name := string(text)
	d.names[name] = name
	return name
}
