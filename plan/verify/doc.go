// Package verify proves that a plan is correct, or says what is wrong with it. It checks the
// form, the ports and circuits, the claimed times, and the data that every GPU ends up with. It
// reads the plan and trusts none of its claims. To check times it keeps a record of every
// circuit (timeline.go), which shares no code with the pricing of a plan; tests compare the
// two.
package verify
