package algorithms

// BalancedDigits returns the lowest count digits of a number in a balanced system, the lowest
// first. Digits are in -(radix-1)/2..(radix-1)/2; the radix must be odd and at least 3. The
// digits determine the number if it is within -(radix^count-1)/2..(radix^count-1)/2.
func BalancedDigits(number, radix, count int) []int {
	digit := balancedDigit(radix)
	digits := make([]int, count)
	for k := range digits {
		digits[k] = digit(number)
		number = (number - digits[k]) / radix
	}
	return digits
}
