// Package model knows transformers: their published shapes, how many parameters they have, what
// they compute and what they communicate, each by one formula with its source, and how fast GPUs
// compute.
package model
