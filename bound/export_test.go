package bound

// ArcLoads is arcLoads, for its test.
var ArcLoads = arcLoads
