package restconf

// What tests reach of the answers.
var (
	ParseErrors  = parseErrors
	ParseProduct = parseProduct
)
