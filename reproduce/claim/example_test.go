package claim_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

// The axes of the papers' figures: sizes double, delays go 1, 2, 5, 10.
func ExampleDoubled() {
	fmt.Println(claim.Doubled(units.KiB, 8*units.KiB))
	fmt.Println(claim.Decades(units.Microsecond, units.Millisecond))
	// Output:
	// [1KiB 2KiB 4KiB 8KiB]
	// [1us 2us 5us 10us 20us 50us 100us 200us 500us 1ms]
}
