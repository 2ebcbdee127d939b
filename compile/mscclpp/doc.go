// Package mscclpp reads and writes the execution plans of MSCCL++: JSON in which thread
// blocks put chunks into the memory of peers, and signal that they have.
//
// Ranks send over one channel for every direction between them. Before anything is put,
// the receiver says over it that it has entered the kernel, so that what it holds of an
// earlier call is no longer needed; then every put is followed by a signal, and every wait
// sees one. Thread blocks of a rank meet in semaphores, one for each pair of them that
// has something to wait for, whose releases and acquires come in the same order.
package mscclpp
