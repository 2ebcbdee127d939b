package inventory_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/control/inventory"
)

func ExampleParse() {
	l, err := inventory.Parse([]byte("switches:\n- {name: east, driver: scpi, address: 10.0.0.1}\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Entries[0].Name, l.Entries[0].Address)
	_, err = inventory.Parse([]byte("switches:\n- {name: east, driver: telnet, address: 10.0.0.1}\n"))
	fmt.Println(err)
	// Output:
	// east 10.0.0.1:5025
	// switches[0]: driver: "telnet" is not scpi, restconf, netconf, gnmi, sonic
}
