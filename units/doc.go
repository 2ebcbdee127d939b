// Package units defines the quantities that describe a plan, and parses and
// prints them exactly.
//
// Three types are inputs: a message size is a [Bytes], a link rate is a
// [Bandwidth] in bits per second, and a latency or a reconfiguration delay is a
// [Duration] in picoseconds. All three are integers. Parsing never rounds: a
// text that is not a whole number of the base unit, or does not fit, is an
// error. Printing never rounds either, so for every non-negative x, parsing
// x.String() returns x.
//
// A text is a decimal number followed by a unit, for example 1.5KiB, 800Gbps
// or 500ns. Blanks may separate the two. The unit is required, even for zero,
// and case-sensitive. There is no sign, no exponent and no digit separator.
//
//	Bytes      B, KiB, MiB, GiB, TiB (powers of 1024), KB, MB, GB, TB (powers of 1000)
//	Bandwidth  bps, Kbps, Mbps, Gbps, Tbps (powers of 1000)
//	Duration   ps, ns, us, ms, s (µs is read as us)
//
// The fourth type, [Time], is what a cost model computes from the inputs. It is
// a floating-point number of nanoseconds; its printed form is rounded.
//
// The three input types implement [encoding.TextMarshaler] and
// [encoding.TextUnmarshaler], and their pointers have the methods that
// command-line flag packages expect (String, Set and Type).
package units
