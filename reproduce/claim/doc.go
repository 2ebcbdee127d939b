// Package claim is what a published number is made of: the quantity, its source, how it is computed
// here and how the two compare; and what claims and figures of several papers are computed with:
// plans of one collective over sizes and delays, by the model and packet by packet.
package claim
