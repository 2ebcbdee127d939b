// Package bills has published comparisons of what fabrics cost and draw as claims, computed from
// line items: bills of package parts.
package bills
