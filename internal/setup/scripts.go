package setup

import (
	"regexp"
	"sync"
)

var (
	rspecGem    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s*gem\s+["'](?:rspec|rspec-rails)["']`) })
	rspecJUnit  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s*gem\s+["']rspec_junit_formatter["']`) })
	makeTarget  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^(test|check)[ \t]*:(?:[^=]|$)`) })
	rspecFile   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`_spec\.rb$`) })
	usualRubyIs = [2]string{"ruby-version", "3.4"}
)

// findRuby is for a bundle with RSpec, whose only results that are read here are those of rspec_junit_formatter, or
// with tests that Rake or Rails runs.
func findRuby(r *repo, dir string) *Suite {
	if !r.has(dir, "Gemfile") {
		return nil
	}
	gemfile := r.text(dir, "Gemfile")
	s := &Suite{}
	switch {
	case rspecGem().MatchString(gemfile) || r.has(dir, ".rspec"):
		s.Command = "bundle exec rspec"
		if rspecJUnit().MatchString(gemfile) {
			s.Command += " --format progress --format RspecJunitFormatter --out reports/rspec.xml"
			s.files, s.Format, s.count, s.exactly = "reports/rspec.xml", "junit", 1, true
			s.least = leastOf(r.below(dir, rspecFile().MatchString), false)
		}
	case r.has(dir, "bin/rails"):
		s.Command = "bin/rails test"
	case r.has(dir, "Rakefile"):
		s.Command = "bundle exec rake test"
	default:
		return nil
	}
	setup := step{uses: "ruby/setup-ruby", with: [][2]string{{"bundler-cache", "true"}}}
	if !r.has(dir, ".ruby-version", ".tool-versions", "mise.toml") {
		setup.with = append(setup.with, usualRubyIs)
	}
	if dir != "." {
		setup.with = append(setup.with, [2]string{"working-directory", dir})
	}
	s.prepare = []step{setup}
	return s
}

// findMake is for a repository that only says how it is tested in its Makefile.
func findMake(r *repo) *Suite {
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} { // as make looks for them
		if !r.has(".", name) {
			continue
		}
		found := ""
		for _, m := range makeTarget().FindAllStringSubmatch(r.text(".", name), -1) {
			if found == "" || m[1] == "test" {
				found = m[1]
			}
		}
		if found == "" {
			return nil
		}
		return &Suite{Command: "make " + found}
	}
	return nil
}
