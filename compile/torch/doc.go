// Package torch writes plans as Python modules for PyTorch: each rank exchanges messages with
// its peers over torch.distributed, whatever the backend, and adds received data with torch. A
// module holds all stages of a plan, calls a hook when circuits change, and tests itself bit for
// bit.
package torch
