package conformance

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// unreported is the contract with `report: { required: never }`, everything else as it was.
func unreported(contract []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(contract, &doc); err != nil {
		return nil, fmt.Errorf("read contract: %w", err)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("read contract: it is no mapping")
	}
	never := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
		{Kind: yaml.ScalarNode, Value: "required"}, {Kind: yaml.ScalarNode, Value: "never"},
	}}
	root, found := doc.Content[0], false
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "report" {
			root.Content[i+1], found = never, true
		}
	}
	if !found {
		root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "report"}, never)
	}
	out, err := yaml.Marshal(&doc)
	if err != nil {
		return nil, fmt.Errorf("write contract: %w", err)
	}
	return out, nil
}
