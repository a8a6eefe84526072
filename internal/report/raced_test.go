//go:build !race

package report

// raced says whether the race detector is on, under which pools forget on purpose and memory is not what it is.
const raced = false
