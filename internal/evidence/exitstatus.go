package evidence

import (
	"fmt"
	"slices"
	"strings"
)

// ExitMeaning is what an exit status means for evidence.
type ExitMeaning struct {
	State   State  // verified, validator_failed or unverified
	Code    string // exit/*
	Meaning string // for reading, such as "command not found" or "killed by signal 9 (SIGKILL)"
}

// The exit statuses of POSIX shells (IEEE Std 1003.1, shell command language, 2.8.2) that say that a command did
// not run, and pytest's status for a run that collected no test.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
	exitSignalBase    = 128
	exitMaxSignal     = 64 // SIGRTMAX on Linux
	exitMaxStatus     = 255
	exitPytestNoTests = 5
)

// ExitStatus decodes the exit status n of a command, as a POSIX shell reports it: 0 passes; 126, 127 and 128+N for
// a signal N (1 to 64) say that the command did not run or did not finish; any other status up to 255 is a
// failure of its own; anything else is no exit status.
func ExitStatus(n int) ExitMeaning {
	switch {
	case n < 0 || n > exitMaxStatus:
		return ExitMeaning{Unverified, CodeExitOutOfRange, fmt.Sprintf("%d is no exit status (0 to 255)", n)}
	case n == 0:
		return ExitMeaning{Verified, CodeExitPassed, "exit status 0"}
	case n == exitNotExecutable:
		return ExitMeaning{Unverified, CodeExitNotExecutable, "exit status 126: found, but not executable"}
	case n == exitNotFound:
		return ExitMeaning{Unverified, CodeExitNotFound, "exit status 127: command not found"}
	case n > exitSignalBase && n <= exitSignalBase+exitMaxSignal:
		return ExitMeaning{Unverified, CodeExitSignal, fmt.Sprintf("exit status %d: killed by %s", n, signalName(n-exitSignalBase))}
	}
	return ExitMeaning{ValidatorFailed, CodeExitFailed, fmt.Sprintf("exit status %d", n)}
}

// signalName names Linux's signals on x86 and ARM (signal(7)).
func signalName(n int) string {
	names := []string{
		"SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1", "SIGSEGV",
		"SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN",
		"SIGTTOU", "SIGURG", "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS",
	}
	if n >= 1 && n <= len(names) {
		return fmt.Sprintf("signal %d (%s)", n, names[n-1])
	}
	return fmt.Sprintf("signal %d", n)
}

// commandExit decodes the exit status of a known command line: pytest's 5 is named, and never a pass.
func commandExit(n int, argv []string) ExitMeaning {
	if n == exitPytestNoTests && runsPytest(argv) {
		return ExitMeaning{ValidatorFailed, CodeExitNoTests, "exit status 5: pytest collected no tests"}
	}
	return ExitStatus(n)
}

// runsPytest looks for pytest as a word of its own in any argument, a shell's command line included.
func runsPytest(argv []string) bool {
	for _, arg := range argv {
		words := strings.FieldsFunc(arg, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()/\\'\"", r) })
		if slices.ContainsFunc(words, func(w string) bool { return w == "pytest" || w == "py.test" || w == "pytest.exe" }) {
			return true
		}
	}
	return false
}
