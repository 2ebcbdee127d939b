package iteration

import "github.com/lightpath-net/lightpath/fabric"

// Supported reports why iterations are not planned on a fabric, by its field: an ErrFabric. What
// depends on the workload is not looked at.
func Supported(f *fabric.Fabric) error { return supported(f) }
