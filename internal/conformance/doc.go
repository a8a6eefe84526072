// Package conformance runs whole situations, one directory each, through the product and scores the answers.
//
// A directory holds a pull request as the service shows it, a contract (in the product's language, or in words
// with hints that are converted), the files and contexts that the gate finds, and the right answer. The package
// builds a real repository and workspace from it, asks gate.Run, and compares. It decides nothing about
// evidence: the conversion knows no situation by name, and what the contract language cannot say is reported
// as not expressible, never bent. It trusts the directories no further than tests trust their fixtures, and is
// meant for tests only.
package conformance
