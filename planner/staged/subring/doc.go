// Package subring gives schedules of exchanges on nested rings in closed form (ReTri, §3.3 and
// §3.4): which phases share a ring, and how long that takes.
package subring
