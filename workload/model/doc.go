// Package model describes transformers: their published shapes, and formulas, with sources, for
// parameters, computation and communication. It also has the computing speeds of GPUs.
package model
