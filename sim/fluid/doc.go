// Package fluid is the flow level of the simulator: streams drain at max-min fair rates, without
// packets. Package sim has the rules and lays phases out for it.
package fluid
