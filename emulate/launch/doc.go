// Package launch starts the processes of an emulation. If a launcher started this process
// (mpirun, srun, or anything that sets rank and size), it finds out which one this is.
package launch
