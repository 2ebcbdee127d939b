// Package lp solves linear programs by the simplex method, in three standard forms:
//
//   - Packing: the largest profit within capacities that are not negative. Columns are added
//     one by one, so a caller may generate them.
//   - Covering: the least cost that meets all needs, where no cost is negative. Corner solves
//     those with few columns whose rows are generated.
//   - Balance: amounts divided over columns such that the largest row sum, and then the weight,
//     is as small as possible. Routing problems have this form, with far more columns than
//     rows; columns may be generated here, too.
//
// Each form provides a starting basis, so none needs a first phase. All are deterministic.
// Programs that need another method have it in their own package: flow's interior point method
// is for programs in which most pairs of nodes have demands.
package lp
