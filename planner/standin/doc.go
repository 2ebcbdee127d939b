// Package standin makes plans on fabrics with unequal (fabric.Links) or failed (fabric.Avoid)
// circuits, with planners that assume equal circuits.
//
// It asks such a planner for plans on stand-in fabrics: with all circuits at the fabric's
// bandwidth, or faster, or slower; without the circuits that differ, or without the worse ones,
// as if they had failed; and with the failed ones as if they had not. It also tries each plan
// with its GPUs renumbered, so that the plan does not use the bad or missing circuits. A plan is
// as correct on the real fabric as on the stand-in, but its time differs. So every plan is priced
// on the actual circuits, and the fastest is kept. The result is a plan like any other: Verify
// recomputes its time from every circuit. There is no claim that the planner could not have done
// better.
package standin
