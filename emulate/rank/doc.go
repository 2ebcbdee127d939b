// Package rank is one GPU of an emulation: it joins the coordinator, connects its ports to
// the switch, sends, passes on, receives and reduces what the plan says, step by step, and
// checks what it holds at the end.
package rank
