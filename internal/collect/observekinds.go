package collect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/outcome-gate/outcome-gate/internal/contract"
	"github.com/outcome-gate/outcome-gate/internal/evidence"
)

// noFacts are the facts of a validator that could not observe anything; no kind verifies them.
const noFacts = `{}`

// validator shows one validator everything that it asks for and keeps the facts that it draws from it.
func (o *observer) validator(ctx context.Context, p *outcomePlan, j int, v contract.Validator) evidence.ValidatorFacts {
	vp := &p.validators[j]
	out := evidence.ValidatorFacts{Kind: v.Kind, Version: vp.kind.Version, Params: v.Params, Facts: json.RawMessage(noFacts)}
	if !vp.known {
		return out
	}
	x := &o.f.Contexts
	in := evidence.Input{
		Steps: x.Steps, HasSteps: x.HasSteps, Elsewhere: x.Elsewhere, Jobs: x.Jobs, HasJobs: x.HasJobs,
		Subject: o.f.Circumstances.Subject, OwnChecks: x.OwnChecks, ApprovedBy: o.f.ApprovedBy,
		Makers: o.f.Makers, HasMakers: o.f.HasMakers,
		Reads: map[string][]evidence.Document{}, ReadError: map[string]string{},
	}
	if p.artifact >= 0 {
		in.Documents = documents(o.plan.sets[p.artifact], vp.wants)
	}
	for _, r := range vp.reads {
		if r.set < 0 {
			o.readTrusted(ctx, &in, r.Read)
			continue
		}
		s := o.plan.sets[r.set]
		in.Reads[r.Role] = documents(s, r.Wants)
		if s.found.problem != "" {
			in.ReadError[r.Role] = clip(s.found.detail, maxReason)
		}
		out.Reads = append(out.Reads, evidence.ReadFacts{Role: r.Role, Trust: r.Trust, Set: o.fileSet(ctx, s, nil)})
	}
	if vp.wants.Repository {
		in.Repository = o.repository(ctx)
	}
	if vp.wants.ChangedLines {
		in.Changed = o.changedLines(ctx, in.Documents)
	}
	switch v.Kind {
	case "check":
		out.ObservedAt = o.giveChecks(ctx, &in)
	case "command":
		in.Commands = o.commands
	}
	out.Facts = observeKind(&vp.kind, v.Params, in)
	return out
}

// observeKind calls a kind; one that breaks on its input has observed nothing.
func observeKind(k *evidence.Kind, params json.RawMessage, in evidence.Input) (facts json.RawMessage) {
	defer func() {
		if recover() != nil {
			facts = json.RawMessage(noFacts)
		}
	}()
	return k.Observe(params, in)
}

// readTrusted adds a file of the trusted branch. It is read once however many validators name it.
func (o *observer) readTrusted(ctx context.Context, in *evidence.Input, r evidence.Read) {
	if o.f.TrustedFile == nil {
		in.ReadError[r.Role] = "the trusted branch's files cannot be read here"
		return
	}
	t, ok := o.trusted[r.Trusted]
	if !ok {
		t.data, t.err = o.f.TrustedFile(ctx, r.Trusted)
		o.trusted[r.Trusted] = t
	}
	if t.err != nil {
		in.ReadError[r.Role] = reason(t.err)
		return
	}
	sum := sha256.Sum256(t.data)
	n := min(int64(len(t.data)), max(r.Wants.Bytes, 0))
	in.Reads[r.Role] = append(in.Reads[r.Role], evidence.Document{
		Name: r.Trusted, Readable: true, Bytes: t.data[:n:n], Cut: int64(len(t.data)) > n,
		SHA256: hex.EncodeToString(sum[:]), Tier: string(contract.Service),
	})
}

// runCommands runs the contract's commands in its order, those with the same parameters once.
func (o *observer) runCommands(ctx context.Context) {
	if !o.f.RunCommands {
		return
	}
	for i := range o.c.Outcomes {
		for _, v := range o.c.Outcomes[i].Validators {
			if _, ran := o.commands[string(v.Params)]; v.Kind != "command" || ran {
				continue
			}
			argv, timeout, err := evidence.Command(v.Params)
			result := evidence.CommandResult{}
			if err != nil {
				result.Reason = reason(err)
			} else {
				result = RunCommand(ctx, o.w, Command{Run: argv, Timeout: timeout})
			}
			o.commands[string(v.Params)] = result
		}
	}
}
