// Package fluid is the flow level of the simulator: streams drain at max-min fair rates,
// without packets. Package sim defines the rules and prepares phases for it.
package fluid
