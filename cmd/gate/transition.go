package main

import (
	"context"
	"strconv"

	"github.com/outcome-gate/outcome-gate/internal/local"
	"github.com/outcome-gate/outcome-gate/internal/receipt"
	"github.com/outcome-gate/outcome-gate/internal/report"
	"github.com/outcome-gate/outcome-gate/internal/transition"
	"github.com/outcome-gate/outcome-gate/internal/transition/disk"
	"github.com/outcome-gate/outcome-gate/internal/verdict"
)

// deliver judges as check does, once for each delivery that is not there yet, and keeps in the file at path how far the
// run has come.
func (m *outside) deliver(ctx context.Context, f *checkFlags, o local.Options) (*receipt.Receipt, []string, error) {
	if len(f.only) > 0 {
		return nil, nil, usageError("leave --only out", "--transition keeps the state of the whole, and --only looks at a part")
	}
	c, err := local.Open(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	asked := c.Asked(ctx)
	d := transition.Delivery{
		TaskID: o.Given.TaskID, DispatchID: o.Given.DispatchID, HeadSHA: asked.HeadSHA, RunStartedAt: f.runStartedAt,
		Contract: asked.Contract, Texts: asked.Texts, Admission: admits(&o.Given),
	}
	if o.Given.AgentExit != nil {
		d.AgentExit = strconv.Itoa(*o.Given.AgentExit)
	}
	a, err := disk.New(m.path(f.transition)).Deliver(ctx, &d, func(ctx context.Context) (*receipt.Receipt, error) {
		return m.judgeOpened(ctx, c, true)
	})
	if closed := c.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, nil, err
	}
	m.say("transition: this run is %s", a.State)
	if a.Known {
		m.say("an earlier delivery of it was judged, and this is the receipt of then")
	}
	return a.Receipt, c.Said, nil
}

// admits says whether what was handed in only says that the worker is at work: a handle, a heartbeat, a question.
func admits(g *local.Given) bool {
	if g.Report == nil || g.AgentExit != nil {
		return false
	}
	reading := report.Read([]report.Text{{Carrier: "input", Body: string(g.Report)}}, report.Options{})
	return reading.Runtime == report.RuntimeRunning && verdict.Classify(verdict.FactsOf(reading)).Reason == verdict.StillWorking
}
