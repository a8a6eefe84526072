// Package e2e holds the product as users run it, from outside: the container built from the very Dockerfile, run
// as a step by what does as GitHub's runner does, against an in-memory GitHub on loopback whose every request and
// answer is held against GitHub's published description.
//
// It decides nothing and is no part of the product. Its tests need a Docker engine and an image, which e2e/run
// prepares; `go test` alone skips them and says so.
package e2e
