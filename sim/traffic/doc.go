// Package traffic describes traffic for the levels of a simulation: flows divided into streams,
// one per route; the bundles of circuits on the routes; when each circuit is up; and the
// results. Times are in ps, sizes in bytes, both with 64 bits.
package traffic
