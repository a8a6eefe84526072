package testresult

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
)

// generatedDotNet writes a document of about n bytes in a .NET format: most records bare, some failed with a stack
// trace, as generatedJUnit.
func generatedDotNet(format string, n int) []byte {
	var b bytes.Buffer
	stack := strings.Repeat("   at Example.Shop.Cart.Total(Int32 items) in /src/Cart.cs:line 118\n", 20)
	open, failed, end, tail := "", "", "", ""
	switch format {
	case "trx":
		b.WriteString(`<TestRun id="1" xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Results>` + "\n")
		open = `<UnitTestResult executionId="24acf653-d5f1-4043-bfa1-8c97fd147111" testId="122e4794-c549-ce37-572b-9acc5c73b926" testName="Example.Shop.CartTests.TotalsRoundHalfUp(value: %d)" computerName="ci-7" duration="00:00:00.0120000" startTime="2026-11-30T14:43:46.004" endTime="2026-11-30T14:43:46.016" testType="13cdc9d9-ddb5-4fa4-a97d-d965ccfc6d4b" outcome="%s" testListId="8c84fa94-04c1-424b-9868-57a2d4851a1d"`
		failed, end = "<Output><ErrorInfo><Message>Assert.Equal() Failure</Message><StackTrace>"+stack+"</StackTrace></ErrorInfo></Output>", "</UnitTestResult>\n"
		tail = `</Results><ResultSummary outcome="Failed"/></TestRun>`
	case "nunit":
		b.WriteString(`<test-run result="Failed"><test-suite type="Assembly" name="/src/Shop.Tests.dll" result="Failed" site="Child">` + "\n")
		open = `<test-case id="0-1016" name="TotalsRoundHalfUp(%d)" fullname="Example.Shop.CartTests.TotalsRoundHalfUp(1)" methodname="TotalsRoundHalfUp" classname="Example.Shop.CartTests" runstate="Runnable" seed="929239775" result="%s" start-time="2026-11-30 14:43:46Z" end-time="2026-11-30 14:43:46Z" duration="0.012" asserts="1"`
		failed, end = "<failure><message><![CDATA[Expected: 3]]></message><stack-trace><![CDATA["+stack+"]]></stack-trace></failure>", "</test-case>\n"
		tail = "</test-suite></test-run>"
	case "xunit":
		b.WriteString(`<assemblies><assembly name="/src/Shop.Tests.dll"><collection>` + "\n")
		open = `<test name="Example.Shop.CartTests.TotalsRoundHalfUp(value: %d)" type="Example.Shop.CartTests" method="TotalsRoundHalfUp" time="0.0120000" result="%s"`
		failed, end = `<failure exception-type="Xunit.Sdk.EqualException"><message><![CDATA[Expected: 3]]></message><stack-trace><![CDATA[`+stack+"]]></stack-trace></failure>", "</test>\n"
		tail = "</collection></assembly></assemblies>"
	}
	words := map[bool]string{false: map[string]string{"trx": "Passed", "nunit": "Passed", "xunit": "Pass"}[format], true: map[string]string{"trx": "Failed", "nunit": "Failed", "xunit": "Fail"}[format]}
	for i := 0; b.Len() < n; i++ {
		bad := i%50 == 7
		fmt.Fprintf(&b, open, i, words[bad])
		if bad {
			b.WriteString(">" + failed + end)
		} else {
			b.WriteString(" />\n")
		}
	}
	b.WriteString(tail)
	return b.Bytes()
}

func BenchmarkDotNet(b *testing.B) {
	for _, format := range []string{"trx", "nunit", "xunit"} {
		data := generatedDotNet(format, benchmarkBytes)
		b.Run(format+"/count", func(b *testing.B) { benchmarkFormat(b, data, nil) })
		b.Run(format+"/visit", func(b *testing.B) { benchmarkFormat(b, data, func(*Case) {}) })
		b.Run(format+"/encoding-xml", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				for d := xml.NewDecoder(bytes.NewReader(data)); ; {
					if _, err := d.Token(); err != nil {
						break
					}
				}
			}
		})
	}
}

// BenchmarkGzip is the cost of a compressed report, most of which is unpacking it.
func BenchmarkGzip(b *testing.B) {
	data := generatedJUnit(benchmarkBytes)
	small := pack(b, data)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if res := Read(benchmarkReader(small), "", Limits{}, nil); res.Counts.Tests == 0 || res.Conclusion != Fail {
			b.Fatalf("reads %+v", res)
		}
	}
}
