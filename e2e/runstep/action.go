// Package runstep runs one container action stage by stage as GitHub's runner does, without GitHub.
//
// It follows the documented contract (docs.github.com: "Metadata syntax", "Workflow commands", "Dockerfile
// support") and, where that is silent, the runner's source (actions/runner 2.336.0: ContainerActionHandler,
// ActionRunner, FileCommandManager, ActionCommand, ProcessInvoker). It decides nothing about the action: it
// reports what the action did, in the order in which it did it. It is for tests.
//
// What it does not do: contexts and expressions beyond github.token and inputs, conditions, composite and
// JavaScript actions, uploading of summaries.
package runstep

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Action is an action.yml, as far as a container action uses it.
type Action struct {
	Name    string            `yaml:"name"`
	Inputs  map[string]Input  `yaml:"inputs"`
	Outputs map[string]Output `yaml:"outputs"`
	Runs    struct {
		Using string            `yaml:"using"`
		Image string            `yaml:"image"`
		Entry string            `yaml:"entrypoint"`
		Pre   string            `yaml:"pre-entrypoint"`
		Post  string            `yaml:"post-entrypoint"`
		Args  []string          `yaml:"args"`
		Env   map[string]string `yaml:"env"`
	} `yaml:"runs"`
}

// Input is a declared input. The runner does not enforce that a required one is given.
type Input struct {
	Description string  `yaml:"description"`
	Default     *string `yaml:"default"`
}

// Output is a declared output.
type Output struct {
	Description string `yaml:"description"`
}

// ReadAction reads DIR/action.yml.
func ReadAction(dir string) (*Action, error) {
	data, err := os.ReadFile(filepath.Join(dir, "action.yml"))
	if err != nil {
		return nil, err
	}
	var a Action
	if err := yaml.Unmarshal(data, &a); err != nil {
		return nil, fmt.Errorf("read action.yml: %w", err)
	}
	if a.Runs.Using != "docker" {
		return nil, fmt.Errorf("read action.yml: runs.using is %q, and this package runs docker only", a.Runs.Using)
	}
	return &a, nil
}

var (
	tokenExpression = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{\{\s*github\.token\s*\}\}`) })
	runExpression   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{\{\s*github\.event\.workflow_run\.id\s*\}\}`) })
	inputExpression = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{\{\s*inputs\.([A-Za-z0-9_-]+)\s*\}\}`) })
)

// values gives every input its value: what the workflow gave, else the default.
func (a *Action) values(with map[string]string, token, startedBy string) map[string]string {
	out := map[string]string{}
	for name, in := range a.Inputs {
		if in.Default != nil {
			out[name] = runExpression().ReplaceAllLiteralString(tokenExpression().ReplaceAllLiteralString(*in.Default, token), startedBy)
		} else {
			out[name] = ""
		}
	}
	for name, value := range with {
		out[name] = value
	}
	return out
}

// expand replaces the two expressions that args and env of an action of this kind use.
func expand(s string, inputs map[string]string, token string) string {
	s = tokenExpression().ReplaceAllLiteralString(s, token)
	return inputExpression().ReplaceAllStringFunc(s, func(m string) string {
		return inputs[inputExpression().FindStringSubmatch(m)[1]]
	})
}

// variable is the variable in which the runner hands over an input: upper case, blanks as underscores, hyphens
// kept.
func variable(input string) string {
	return "INPUT_" + strings.ToUpper(strings.ReplaceAll(input, " ", "_"))
}
