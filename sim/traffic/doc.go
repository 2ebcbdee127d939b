// Package traffic is traffic as the levels of a simulation take it: flows cut into streams, one per
// route, the bundles of circuits that these pass, when each circuit is up, and what comes out.
// Times are ps, sizes bytes, both in 64 bits.
package traffic
