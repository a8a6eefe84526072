package tide

func check() bool { return Surge(10) }
