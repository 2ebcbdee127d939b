// Package standin makes plans on fabrics some of whose circuits differ (fabric.Links) or have
// failed (fabric.Avoid), with planners that think of circuits that are all alike.
//
// Such a planner is asked for plans on fabrics that stand in for the one that there is: with
// circuits of the bandwidth that the fabric names, with faster and slower ones, without the
// circuits that differ, or those of them that are worse, as if they had failed, and with those
// that have failed as if they had not. Each plan is also tried with its GPUs numbered
// otherwise, so that circuits which are bad or missing are where it needs none. What is sent
// when and over which circuits is as good on the one fabric as on the other; how long it takes
// is not, so every plan is priced on the circuits that there are, and the fastest is kept. The
// result is a plan like any other, whose time Verify finds again from every circuit by itself.
// No claim is made that the planner could not have done better.
package standin
