package restconf

// Internals of answers that tests use.
var (
	ParseErrors  = parseErrors
	ParseProduct = parseProduct
)
