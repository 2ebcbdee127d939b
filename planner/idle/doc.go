// Package idle lets planners leave part of a fabric unused: some of its ports, or the freedom to
// set up one-way circuits. Planners tend to use everything they are given, which is not always
// fastest. A plan for a fabric that allows less is also a plan for one that allows more, so a
// planner that tries both is never slower for having more.
package idle
