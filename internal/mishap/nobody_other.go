//go:build !linux

package mishap

// AsNobody is not known on this system.
func AsNobody(string, string) ([]byte, error) { return nil, ErrUnsupported }
