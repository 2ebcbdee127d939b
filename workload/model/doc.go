// Package model describes transformers: their published shapes, and formulas with their sources for
// parameters, computation and communication. It also knows how fast GPUs compute.
package model
