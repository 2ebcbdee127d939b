package rows_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/internal/rows"
)

func ExampleReader_Each() {
	in := rows.New(strings.NewReader("bytes\n4096\n4KiB\n"))
	if _, err := in.Heading("the heading bytes"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(in.Each(func(row []string) error {
		_, err := strconv.Atoi(row[0])
		return err
	}))
	// Output: line 3: strconv.Atoi: parsing "4KiB": invalid syntax
}
