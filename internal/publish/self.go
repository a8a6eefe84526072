package publish

import "github.com/outcome-gate/outcome-gate/internal/github"

// Self is the gate's own account, as far as it is certain: who GitHub says made what this very token posted.
type Self struct {
	Account string // "login/type"; "" as long as it is not known
}

// Learn takes the account of something that this token just made.
func (s *Self) Learn(u github.User) {
	if s.Account == "" && u.Login != "" && u.Type != "" {
		s.Account = u.Login + "/" + u.Type
	}
}

// isMine reports whether an account is certainly the gate's own.
func (s *Self) isMine(u github.User) bool { return s.Account != "" && s.Account == u.Login+"/"+u.Type }
