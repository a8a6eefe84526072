//go:build race

package main

// stride is how many points apart those lie that something goes wrong at: at all of them, and at a sample under the race
// detector, where one takes many times as long and what it looks for is the same at each.
const stride = 3
