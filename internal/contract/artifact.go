package contract

// ArtifactOf is the artifact that judges o: its own, or the one that `of` leads to among outcomes. It is nil
// where there is none, and where `of` names nothing or a cycle.
func ArtifactOf(outcomes []Outcome, o *Outcome) *Artifact {
	a := o.Artifact
	for range outcomes {
		if a == nil || a.Of == "" {
			return a
		}
		id := a.Of
		a = nil
		for i := range outcomes {
			if outcomes[i].ID == id {
				a = outcomes[i].Artifact
			}
		}
	}
	if a != nil && a.Of != "" {
		return nil
	}
	return a
}
