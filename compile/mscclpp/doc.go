// Package mscclpp reads and writes the execution plans of MSCCL++: JSON in which thread
// blocks put chunks into the memory of peers, and signal that they have.
//
// Ranks send over one channel for every direction between them. Before anything is put, the
// receiver signals over it that it has entered the kernel, so data of an earlier call is no longer
// needed. Then every put is followed by a signal, and every wait consumes one. Thread blocks of a
// rank synchronise with semaphores, one for each pair that must wait, with releases and acquires
// in the same order.
package mscclpp
