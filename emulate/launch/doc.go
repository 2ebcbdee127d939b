// Package launch starts the processes of an emulation, or finds out which of them this one is
// if a launcher started it: mpirun, srun or anything that sets rank and size.
package launch
