package evidence

import "encoding/json"

// laterKind is a kind that the contract language names and that no released gate judges yet. Contracts that
// use it are refused by name; should facts of it turn up nonetheless, they prove nothing.
func laterKind(name, doc, text string) Kind {
	return Kind{
		Name: name, Version: "1", Doc: doc, Later: text, NeedsArtifact: true, Deterministic: true,
		Schema:  `{"type": "object", "description": "` + text + `", "examples": [{}]}`,
		Observe: func(json.RawMessage, Input) json.RawMessage { return json.RawMessage(`{}`) },
		Judge: func(json.RawMessage, json.RawMessage) Finding {
			return find(Unverified, CodeEvidenceLater, "%s", text)
		},
	}
}

func attestationKind() Kind {
	return laterKind("attestation", "A signed statement about the artifact's digest, by a pinned signer.",
		"attestation is not judged yet; until then verify it in a step and judge that by step or exit_code")
}
