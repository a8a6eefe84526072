package evidence

import (
	"slices"
	"sync"
)

// Kinds lists every validator kind in name order. The list is the caller's own.
func Kinds() []Kind { return slices.Clone(allKinds()) }

// KindByName gives the kind of that name.
func KindByName(name string) (Kind, bool) {
	list := allKinds()
	for i := range list {
		if list[i].Name == name {
			return list[i], true
		}
	}
	return Kind{}, false
}

// allKinds makes the list on first use and once: a thousand outcomes ask for kinds by name, and the schemas of some are
// put together. To add a kind, write its file and add its line.
var allKinds = sync.OnceValue(func() []Kind {
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
})
