package tide

// Surge says whether the water stands above the wall.
func Surge(level int) bool {
	if level > 9 {
		return true
	}
	return false
}
