package tide

// Datum is the gauge's zero, in metres.
func Datum() int {
	return 4
}
