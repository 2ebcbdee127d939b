package reproduce

import "github.com/lightpath-net/lightpath/reproduce/claim"

// What claims and figures are made of, under the names of the package that lists them.
type (
	// Entry is one published quantity and how it is computed here.
	Entry = claim.Entry
	// Row is a claim with what was computed.
	Row = claim.Row
	// Part is a number behind the value of a claim.
	Part = claim.Part
	// Column is a claim's value by one of three readings.
	Column = claim.Column
	// Tally counts verdicts.
	Tally = claim.Tally
	// Verdict says how a published value and ours compare.
	Verdict = claim.Verdict
	// Paper is a paper with its claims and the figures that are drawn.
	Paper = claim.Paper
	// Panel is a figure of a paper, or a part of one.
	Panel = claim.Panel
	// Picture is a figure as it is drawn from what is computed here.
	Picture = claim.Picture
	// Best returns what the best plan takes as a function of the delay of a change.
	Best = claim.Best
)

// The verdicts.
const (
	Matched      = claim.Matched
	Better       = claim.Better
	Differs      = claim.Differs
	NotCheckable = claim.NotCheckable
)
