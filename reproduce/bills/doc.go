// Package bills has published comparisons of the cost and power of fabrics as claims, computed
// from line items: bills of package parts.
package bills
