package input

import (
	"io"
	"strconv"
	"strings"
)

const (
	xmlHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	// suiteTests is how many tests a suite has.
	suiteTests = 200
	traceLines = 18
)

// JUnit writes what Surefire and its kin write of a large suite: most records bare, one in forty failed with a stack
// trace, one in forty skipped, one in twenty-five with output.
func JUnit(w io.Writer, size int64) (Facts, error) {
	p := newPage(w, 2)
	p.put(xmlHead, "<testsuites name=\"all\">\n")
	for suite := 0; p.facts.Bytes < size; suite++ {
		p.junitSuite("org.example.shop.cart.Cart"+p.dice.digits(1e6)+"Test", suiteTests, 1)
	}
	p.put("</testsuites>\n")
	return p.done()
}

// JUnitSmall writes one suite of a few tests, the number-th of many.
func JUnitSmall(w io.Writer, number uint64) (Facts, error) {
	p := newPage(w, number)
	p.put(xmlHead)
	p.junitSuite("org.example.shop.cart.Cart"+p.dice.digits(1e6)+"Test", 3+int(p.dice.next()%8), machineProperties)
	return p.done()
}

// machineProperties is how many system properties Surefire writes into each of its files, one file a class.
const machineProperties = 60

func (p *page) junitSuite(class string, tests, properties int) {
	p.put("  <testsuite name=\"", class, "\" time=\"1.", p.dice.digits(1000), "\" hostname=\"ci-7\">\n",
		"    <properties>\n")
	for i := range properties {
		p.put("      <property name=\"java.vm.setting.", strconv.Itoa(i), "\" value=\"/usr/lib/jvm/java-21/lib/", p.dice.digits(1e6), "\"/>\n")
	}
	p.put("    </properties>\n")
	for range tests {
		p.put("    <testcase name=\"totalsRoundHalfUp[", p.test(), "]\" classname=\"", class, "\" time=\"0.", p.dice.digits(1000), `"`)
		switch {
		case p.dice.oneIn(40):
			p.put(">\n      <failure message=\"expected: &lt;3&gt; but was: &lt;4&gt;\" type=\"org.opentest4j.AssertionFailedError\">",
				"org.opentest4j.AssertionFailedError: expected: &lt;3&gt; but was: &lt;4&gt;")
			for range traceLines {
				p.put("\n\tat org.example.shop.cart.Cart.total", p.dice.digits(100), "(Cart.java:", p.dice.digits(1000), ")")
			}
			p.put("\n</failure>\n    </testcase>\n")
		case p.dice.oneIn(39): // of those that did not fail
			p.put(">\n      <skipped/>\n    </testcase>\n")
		case p.dice.oneIn(25):
			p.put(">\n      <system-out><![CDATA[")
			for range 2 * traceLines {
				p.put("2026-11-30 14:43:46.", p.dice.digits(1000), " INFO  charged ", p.dice.digits(100), " items, total <", p.dice.digits(1e6), ">\n")
			}
			p.put("]]></system-out>\n    </testcase>\n")
		default:
			p.put("/>\n")
		}
	}
	p.put("  </testsuite>\n")
}

// JUnitCases writes records that all passed and say nothing else.
func JUnitCases(w io.Writer, size int64) (Facts, error) {
	p := newPage(w, 3)
	p.put(xmlHead, "<testsuite name=\"all\">\n")
	for p.facts.Bytes < size {
		n := p.test()
		p.put("<testcase classname=\"org.example.shop.cart.Cart", n[:(len(n)+1)/2], "Test\" name=\"totalsRoundHalfUp[", n, "]\" time=\"0.", p.dice.digits(1000), "\"/>\n")
	}
	p.put("</testsuite>\n")
	return p.done()
}

// JUnitCDATA writes one passed record with one CDATA section of the whole size.
func JUnitCDATA(w io.Writer, size int64) (Facts, error) {
	p := newPage(w, 4)
	p.test()
	p.put(xmlHead, "<testsuite name=\"all\"><testcase classname=\"Loud\" name=\"prints\"><system-out><![CDATA[")
	line := strings.Repeat("2026-11-30 14:43:46.004 INFO  charged 3 items, total <1200> [ok] & done\n", 100)
	for p.facts.Bytes < size {
		p.put(line)
	}
	p.put("]]></system-out></testcase></testsuite>\n")
	return p.done()
}

// NUnit writes what NUnit 3 writes.
func NUnit(w io.Writer, size int64) (Facts, error) {
	p := newPage(w, 5)
	p.put(xmlHead, "<test-run id=\"2\" name=\"Shop.dll\" result=\"Passed\">\n<test-suite type=\"Assembly\" name=\"Shop.dll\" result=\"Passed\">\n")
	for p.facts.Bytes < size {
		n := p.test()
		p.put("  <test-case id=\"0-", n, "\" name=\"Rounds(", n, ")\" fullname=\"Shop.Cart.Rounds(", n, ")\" methodname=\"Rounds\" classname=\"Shop.Cart\" ",
			"runstate=\"Runnable\" seed=\"", p.dice.digits(1e9), "\" result=\"Passed\" duration=\"0.000", p.dice.digits(1000), "\" asserts=\"1\"/>\n")
	}
	p.put("</test-suite>\n</test-run>\n")
	return p.done()
}

// TRX writes what `dotnet test --logger trx` writes, with its lists after the results.
func TRX(w io.Writer, size int64) (Facts, error) {
	p := newPage(w, 6)
	p.put(xmlHead, "<TestRun id=\"r\" name=\"shop\" xmlns=\"http://microsoft.com/schemas/VisualStudio/TeamTest/2010\">\n<Results>\n")
	for p.facts.Bytes < size {
		n := p.test()
		p.put("  <UnitTestResult executionId=\"e-", n, "\" testId=\"t-", n, "\" testName=\"Shop.Cart.Rounds(", n, ")\" computerName=\"ci-7\" ",
			"duration=\"00:00:00.00", p.dice.digits(1e5), "\" startTime=\"2026-11-30T14:43:46.0040000+00:00\" outcome=\"Passed\" testListId=\"all\"/>\n")
	}
	p.put("</Results>\n<ResultSummary outcome=\"Completed\"/>\n</TestRun>\n")
	return p.done()
}
