//go:build !(linux && amd64)

package mishap

// Run is not known on this system.
func (*Program) Run(int, Kind) (*Ended, error) { return nil, ErrUnsupported }
