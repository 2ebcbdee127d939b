// Package claim defines claims: a published number with its quantity, its source, our
// computation and how the two compare. It also has what the claims and figures of several papers
// are computed with: plans of one collective over sizes and delays, in the model and packet by
// packet.
package claim
