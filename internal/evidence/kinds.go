package evidence

// Kinds lists every validator kind in name order. To add one, write its file and add its line.
func Kinds() []Kind {
	return []Kind{
		attestationKind(),
		checkKind(),
		commandKind(),
		contentKind(),
		coverageKind(),
		exitCodeKind(),
		failToPassKind(),
		jobKind(),
		jsonSchemaKind(),
		judgementKind(),
		sarifKind(),
		stepKind(),
		testsKind(),
	}
}

// KindByName gives the kind of that name.
func KindByName(name string) (Kind, bool) {
	for _, k := range Kinds() {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}
