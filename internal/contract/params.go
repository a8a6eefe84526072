package contract

import (
	"strconv"
	"strings"
)

// validator judges a validator's parameters as far as the language gives their names one meaning in every
// kind: globs, paths, expressions, bounds, sources.
func (k *checker) validator(o *Outcome, v *Validator, ptr string) {
	n := k.root.at(ptr)
	if n == nil {
		return
	}
	kind := k.kind(v.Kind)
	outcome, _, _ := strings.Cut(ptr, "/validators")
	if kind.NeedsArtifact && o.Artifact == nil && !hasMistake(k.mistakes, outcome) {
		k.say(ptr, CodeNeedsArtifact, "Add `artifact: { files: … }`.", "judges an artifact, and the outcome has none")
	}
	if n.get("same_artifact").boolOr(false) && o.Artifact == nil {
		k.say(ptr+"/same_artifact", CodeNeedsArtifact, "Add `artifact: { files: … }`.", "compares with the artifact, and the outcome has none")
	}
	k.params(ptr, n)
}

func (k *checker) params(ptr string, n *node) {
	for _, m := range n.members {
		at := ptr + "/" + escapePointer(m.name)
		switch m.name {
		case "files", "ignore_files":
			k.globs(at, m.value.texts())
		case "before", "baseline":
			if m.value.kind == kindText || m.value.kind == kindList {
				k.globs(at, m.value.texts())
			}
		case "file", "schema", "rubric", "root":
			k.path(at, m.value.str())
		case "regexp":
			k.regexp(at, m.value.str())
		}
		if m.name == "min_score" {
			k.score(at, m.value, n.get("scale"))
		}
		if name, ok := strings.CutPrefix(m.name, "max"); ok {
			k.bounds(at, n.get("min"+name), m.value)
		}
		if m.value.kind == kindMap {
			k.params(at, m.value)
		}
	}
}

// bounds refuses a least value over the greatest.
func (k *checker) bounds(ptr string, least, most *node) {
	if least != nil && least.kind == kindInt && most.kind == kindInt && least.integer > most.integer {
		k.say(ptr, CodeRange, "", "is %d, less than the least value, which is %d", most.integer, least.integer)
	}
}

// score refuses a least score that no judge can give: the scale ends at 1 where it is not given.
func (k *checker) score(ptr string, least, scale *node) {
	most := int64(1)
	if scale != nil && scale.kind == kindInt {
		most = scale.integer
	}
	switch {
	case least.kind == kindInt && least.integer > most, least.kind == kindFloat && least.float > float64(most):
		k.say(ptr, CodeRange, "Write the rubric's greatest score as `scale`.", "is %s, over the scale, which ends at %d", least.shown(), most)
	}
}

// notBuilt refuses by name what the language has and this version does not. What it names is not judged further.
func (e *explainer) notBuilt(kinds []Kind) {
	later := make(map[string]string)
	for _, k := range kinds {
		if k.Later != "" {
			later[k.Name] = k.Later
		}
	}
	list := e.root.get("outcomes")
	if list == nil {
		return
	}
	for i, o := range list.items {
		ptr := "/outcomes/" + strconv.Itoa(i)
		validators := o.get("validators")
		if validators == nil {
			continue
		}
		for j, v := range validators.items {
			for _, m := range v.members {
				at := ptr + "/validators/" + strconv.Itoa(j) + "/" + escapePointer(m.name)
				if when, ok := later[m.name]; ok {
					e.unbuilt(at, m.pos, when)
				}
				for _, source := range []string{"before", "baseline"} {
					e.unbuiltKeys(at+"/"+source, m.value.get(source), "upload", "url")
				}
			}
		}
	}
}

// laterVersion says when; no part has a date.
const laterVersion = "it comes with a later version"

func (e *explainer) unbuiltKeys(ptr string, n *node, keys ...string) {
	for _, key := range keys {
		if n.get(key) != nil {
			at := ptr + "/" + key
			e.unbuilt(at, e.places[at], laterVersion)
		}
	}
}

func (e *explainer) unbuilt(ptr string, pos Pos, when string) {
	e.add(ptr, pos, CodeNotBuilt, "Remove it, or use a version that has it.", "%s belongs to the language and is not built yet: %s", e.label(ptr), when)
	e.refuse(ptr, pos)
}
