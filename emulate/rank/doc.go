// Package rank is one GPU of an emulation. It joins the coordinator, connects its ports to the
// switch, sends, forwards, receives and reduces according to the plan, step by step, and checks
// its data at the end.
package rank
