package setup

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// findGo is for a module of Go. Results that are replayed from the cache were not made in this run: hence -count=1.
func findGo(r *repo, dir string) *Suite {
	if !r.has(dir, "go.mod") {
		return nil
	}
	tests := 0
	for d, names := range r.dirs {
		if !within(d, dir) || r.nearest(d, "go.mod") != dir { // a module inside is one of its own
			continue
		}
		for n := range names {
			if strings.HasSuffix(n, "_test.go") {
				tests++
			}
		}
	}
	if tests == 0 {
		return nil
	}
	return &Suite{
		Command: "go test -count=1 -json ./... > reports/go.json",
		Format:  "go-json", files: "reports/go.json", count: 1, exactly: true, least: leastOf(tests, false), before: []string{"mkdir -p reports"},
		prepare: []step{{uses: "actions/setup-go", with: [][2]string{{"go-version-file", path.Join(dir, "go.mod")}}}},
	}
}

var (
	cargoWorkspace = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\[workspace\]`) })
	nextestJUnit   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^\[profile\.([A-Za-z0-9_-]{1,40})\.junit\]\s*\npath\s*=\s*"([A-Za-z0-9_-][A-Za-z0-9_-]*\.xml)"`)
	})
)

// findRust is for a crate or a workspace. The stable cargo test writes nothing that machines read, cargo-nextest does
// where it is told so.
func findRust(r *repo, dir string) *Suite {
	if !r.has(dir, "Cargo.toml") {
		return nil
	}
	locked := ""
	if r.has(dir, "Cargo.lock") {
		locked = " --locked"
	}
	s := &Suite{Command: "cargo test --workspace" + locked}
	if m := nextestJUnit().FindStringSubmatch(strings.ReplaceAll(r.text(dir, ".config/nextest.toml"), "\r", "")); m != nil {
		s.Command = "cargo nextest run --workspace --profile " + m[1] + locked
		s.Format, s.files, s.count, s.exactly, s.least = "junit", path.Join("target/nextest", m[1], m[2]), 1, true, 1
		s.prepare = []step{{uses: "taiki-e/install-action", with: [][2]string{{"tool", "nextest"}}}}
		r.note("cargo-nextest runs no tests in documentation: add a step for cargo test --doc if there are some.")
	}
	return s
}

var (
	targetFramework = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`net([0-9]{1,2}\.[0-9])\b`) })
	manyFrameworks  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<TargetFrameworks>`) })
)

// testProject and platformRunner are what a project of tests names; the newer runner has other options, and reports
// TRX only with an extension.
const (
	testProject    = "Microsoft.NET.Test.Sdk"
	platformRunner = "TestingPlatform"
)

// findDotnet is for a folder with one solution, or with a project of tests that no solution above it holds.
func findDotnet(r *repo, dir string) *Suite {
	solutions := r.names(dir, func(n string) bool { return path.Ext(n) == ".sln" || path.Ext(n) == ".slnx" })
	if len(solutions) > 1 {
		return nil
	}
	where := func(d string) bool { return d == dir }
	if len(solutions) == 1 {
		where = func(d string) bool { return within(d, dir) }
	} else if len(r.names(dir, isProject)) > 1 { // dotnet test would have to be told which
		return nil
	}
	tests, single, platform := 0, true, false
	var versions []string
	for p, data := range r.facts.Files {
		if !isProject(path.Base(p)) || !where(path.Dir(p)) {
			continue
		}
		text := string(data)
		for _, m := range targetFramework().FindAllStringSubmatch(text, -1) {
			versions = append(versions, m[1]+".x")
		}
		platform = platform || strings.Contains(text, platformRunner)
		if strings.Contains(text, testProject) {
			tests++
			single = single && !manyFrameworks().MatchString(text)
		}
	}
	if tests == 0 {
		return nil
	}
	s := &Suite{Command: "dotnet test"}
	switch {
	case platform:
	case tests == 1 && single:
		s.Command += ` --logger "trx;LogFileName=dotnet.trx" --results-directory reports`
		s.Format, s.files, s.count, s.exactly = "trx", "reports/dotnet.trx", 1, true
	default: // one file for each project and framework
		s.Command += " --logger trx --results-directory reports"
		s.Format, s.files, s.count = "trx", "reports/*.trx", tests
	}
	isTest := func(n string) bool {
		return strings.HasSuffix(n, "Test.cs") || strings.HasSuffix(n, "Tests.cs") || strings.HasSuffix(n, "Tests.fs")
	}
	s.least = leastOf(r.below(dir, isTest), s.count > 1 || !s.exactly)
	s.prepare = dotnetSetup(r, dir, versions)
	return s
}

func dotnetSetup(r *repo, dir string, versions []string) []step {
	for _, d := range []string{dir, "."} {
		if r.has(d, "global.json") {
			return []step{{uses: "actions/setup-dotnet", with: [][2]string{{"global-json-file", path.Join(d, "global.json")}}}}
		}
	}
	slices.Sort(versions)
	versions = slices.Compact(versions)
	if len(versions) == 0 {
		return nil // the runner's own
	}
	return []step{{uses: "actions/setup-dotnet", with: [][2]string{{"dotnet-version", strings.Join(versions, "\n")}}}}
}

var (
	pomJava = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<(?:maven\.compiler\.release|maven\.compiler\.source|java\.version|release)>\s*(?:1\.)?([0-9]{1,2})\s*</`)
	})
	javaTest = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:Tests?|TestCase|Spec)\.(?:java|kt|groovy|scala)$`)
	})
	gradleJava = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:JavaLanguageVersion\.of|jvmToolchain)\(\s*([0-9]{1,2})\s*\)`)
	})
)

// The versions of Java: what is taken where none is named, and the oldest that the distribution has.
const (
	usualJava  = 21
	oldestJava = 8
)

// findJava is for Maven or Gradle, whose reports lie where they do by default.
func findJava(r *repo, dir string) *Suite {
	s := &Suite{Format: "junit"}
	version := usualJava
	var named []string
	switch {
	case r.has(dir, "pom.xml"):
		s.Command, s.files = wrapper(r, dir, "mvnw", "mvn")+" --batch-mode --no-transfer-progress test", "**/target/surefire-reports/TEST-*.xml"
		named = pomJava().FindStringSubmatch(r.text(dir, "pom.xml"))
	case r.has(dir, "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"):
		// Without the build cache, which brings results of other runs.
		s.Command, s.files = wrapper(r, dir, "gradlew", "gradle")+" test --no-build-cache --no-daemon", "**/build/test-results/**/TEST-*.xml"
		named = gradleJava().FindStringSubmatch(r.text(dir, "build.gradle") + r.text(dir, "build.gradle.kts"))
	default:
		return nil
	}
	if named != nil {
		if n, err := strconv.Atoi(named[1]); err == nil {
			version = max(n, oldestJava)
		}
	}
	tests := r.below(dir, javaTest().MatchString)
	if tests == 0 {
		return nil
	}
	s.least = leastOf(tests, true)
	s.prepare = []step{{uses: "actions/setup-java", with: [][2]string{{"distribution", "temurin"}, {"java-version", fmt.Sprint(version)}}}}
	return s
}

// wrapper is the project's own start script where it has one.
func wrapper(r *repo, dir, script, program string) string {
	if r.has(dir, script) {
		return "./" + script
	}
	return program
}
