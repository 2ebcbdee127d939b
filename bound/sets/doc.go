// Package sets bounds the time of allreduces with one one-way port per GPU, by sets of GPUs that
// grow more slowly than data can spread.
package sets
