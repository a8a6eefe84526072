//go:build race

package evidence

// stride is how many cases apart those lie that a law is held to of very many like each other: all of them, and a sample
// under the race detector, where one takes ten times as long and what it looks for is the same in each.
const stride = 7
