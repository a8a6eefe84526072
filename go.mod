module github.com/outcome-gate/outcome-gate

go 1.26.8
