// Package units holds the quantities a plan is described with, and reads and
// prints them exactly.
//
// Three types are inputs: a message size is a [Bytes], a link rate is a
// [Bandwidth] in bits per second, and a latency or a reconfiguration delay is a
// [Duration] in picoseconds. All three are integers. Reading one never rounds:
// a text that is not a whole number of the base unit, or does not fit, is an
// error. Printing one never rounds either, so that for every x that is not
// negative, parsing x.String() gives x again.
//
// A text is a decimal number followed by a unit, for example 1.5KiB, 800Gbps
// or 500ns. Blanks may stand between the two. The unit is required, also for
// zero, and its case matters. There is no sign, no exponent and no digit
// separator.
//
//	Bytes      B, KiB, MiB, GiB, TiB (powers of 1024), KB, MB, GB, TB (powers of 1000)
//	Bandwidth  bps, Kbps, Mbps, Gbps, Tbps (powers of 1000)
//	Duration   ps, ns, us, ms, s (µs is read as us)
//
// The fourth type, [Time], is a result: what a cost model computes from the
// inputs. It is a floating-point number of nanoseconds, and its printed form is
// rounded for people to read.
//
// The three input types implement [encoding.TextMarshaler] and
// [encoding.TextUnmarshaler], and their pointers have the methods that
// command-line flag packages ask of a value (String, Set and Type).
package units
