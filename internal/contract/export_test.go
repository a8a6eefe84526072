package contract

// AsJSON rewrites a document as compact JSON, nil if it has mistakes.
func AsJSON(data []byte) []byte {
	l := &loader{limits: limits{depth: maxDepth, nodes: maxNodes, entries: maxEntries}}
	root := l.load(data)
	if root == nil || len(l.mistakes) > 0 {
		return nil
	}
	return appendOrdered(nil, root)
}
