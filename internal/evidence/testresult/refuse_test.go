package testresult

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// TestRefusedXML lists documents that are none, with the code that says why, and those that only look so.
func TestRefusedXML(t *testing.T) {
	const good = `<testsuite name="s"><testcase name="a"/></testsuite>`
	const decl = `<?xml version="1.0"?>`
	body := func(inside string) string { return `<testsuite><testcase name="a"/>` + inside + `</testsuite>` }
	for _, c := range []struct {
		doc  string
		code string // "" for a document that passes
	}{
		{good, ""}, {decl + good, ""}, {decl + "\n<!-- c -->\n" + good + "\n<!-- c --><?p?>\n", ""},
		{`<?xml version='1.0' encoding='UTF-8' standalone="yes" ?>` + good, ""},
		{"", NoteUnclosed}, {"  \n", NoteUnclosed}, {decl, NoteUnclosed}, {"<", NoteUnclosed}, {"<testsuite", NoteUnclosed},
		{"<testsuite ", NoteUnclosed}, {"<testsuite a", NoteUnclosed}, {"<testsuite a=", NoteUnclosed}, {"<testsuite a='", NoteUnclosed},
		{"<testsuite a=''", NoteUnclosed}, {"<testsuite>", NoteUnclosed}, {"<testsuite>&am", NoteUnclosed}, {"<testsuite></testsuite", NoteUnclosed},
		{"<testsuite></testsuite ", NoteUnclosed}, {"<testsuite><!-", NoteUnclosed}, {"<testsuite><!-- ", NoteUnclosed}, {"<testsuite><![CDATA[ ]]", NoteUnclosed},
		{"<testsuite><?p ", NoteUnclosed}, {"<testsuite><?p", NoteUnclosed}, {"<!DOCTYPE a", NoteUnclosed}, {"<?xml version='1.0'", NoteUnclosed},
		{" " + decl + good, NoteTrailing}, {good + decl, NoteTrailing}, {good + "x", NoteTrailing}, {"x" + good, NoteTrailing},
		{good + "<![CDATA[x]]>", NoteTrailing}, {good + "é", NoteTrailing}, {"é" + good, NoteTrailing}, {good + "\xff", NoteTrailing}, {good + "&amp;", NoteTrailing}, {"<?XML version='1.0'?>" + good, NoteTrailing},
		{good + good, NoteTwoRoots}, {good + "<a/>", NoteTwoRoots}, {good + "</testsuite>", NoteMalformed},
		{`<testsuite></testsuites>`, NoteMalformed}, {`<testsuite></Testsuite>`, NoteMalformed}, {body(`<a><b></a></b>`), NoteMalformed},
		{`<testsuite name="a" name="a"/>`, NoteDuplicate}, {`<testsuite x="a" x="b"/>`, NoteDuplicate}, {body(`<failure message="" message=""/>`), NoteDuplicate},
		{`<testsuite x:name="a" name="a"><testcase/></testsuite>`, ""},
		{body(`&amp;&lt;&gt;&quot;&apos;&#65;&#x41;&#x0000041;&#10;`), ""}, {body(`&nbsp;`), NoteEntity}, {body(`&a.b;`), NoteEntity}, {body(`a & b`), NoteEntity},
		{body(`&;`), NoteEntity}, {body(`&#;`), NoteEntity}, {body(`&#x;`), NoteEntity}, {body(`&#X41;`), NoteEntity}, {body(`&#xG;`), NoteEntity}, {body(`&#+5;`), NoteEntity},
		{body(`&#1114112;`), NoteEntity}, {body(`&#99999999999999999999;`), NoteEntity}, {body(`&#0000000000000000000000000000000000065;`), NoteEntity},
		{body(`<a b="&nbsp;"/>`), NoteEntity}, {`<testsuite name="&e;"/>`, NoteEntity}, {body(`&#0;`), NoteMalformed}, {body(`&#27;`), ""}, {body(`&#xFFFE;`), ""},
		{`<testsuite name="&#27;"/>`, NoteMalformed}, {body(`<testcase name="&#xD800;"/>`), NoteMalformed}, {body(`<testcase name="b&#9;&#10;"/>`), ""},
		{`<!DOCTYPE testsuite>` + good, ""}, {`<!DOCTYPE testsuite PUBLIC "-//x>" "http://x/[">` + good, ""},
		{`<!DOCTYPE t [<!ENTITY a "b">]>` + good, NoteDoctype}, {`<!DOCTYPE t SYSTEM "x" [ ]>` + good, NoteDoctype}, {good + `<!DOCTYPE t>`, NoteDoctype},
		{`<!DOCTYPE t><!DOCTYPE t>` + good, NoteDoctype}, {`<!DOCTYPE>` + good, NoteMalformed}, {`<!DOCTYPE t <>` + good, NoteMalformed},
		{body(`<!DOCTYPE t>`), NoteDoctype}, {`<!ENTITY a "b">` + good, NoteMalformed}, {`<!doctype t>` + good, NoteMalformed}, {body(`<![INCLUDE[x]]>`), NoteMalformed},
		{body(`]]>`), NoteMalformed}, {body(`]] >`), ""}, {body(`<![CDATA[<a>&b;]] > ]]]]>`), ""}, {body(`<!-- a -- b -->`), NoteMalformed}, {body(`<!-- a --->`), NoteMalformed},
		{body(`<!-- <testcase/> -->`), ""}, {body(`<?p a?b??>`), ""}, {body(`<?p?>`), ""}, {body(`<?p!?>`), NoteMalformed}, {body(`<?p??>`), NoteMalformed}, {body(`<?a:b c?>`), NoteMalformed}, {body(`<? p?>`), NoteMalformed},
		{body(`<a b="<"/>`), NoteMalformed}, {body(`<a b=c/>`), NoteMalformed}, {body(`<a b/>`), NoteMalformed}, {body(`<a b= 'c'/>`), ""}, {body("<a b\t=\n\"c\" />"), ""},
		{body(`<a b="c"d="e"/>`), NoteMalformed}, {body(`<a/ >`), NoteMalformed}, {body(`<a / >`), NoteMalformed}, {body(`< a/>`), NoteMalformed}, {body(`<1/>`), NoteMalformed}, {body(`<-a/>`), NoteMalformed},
		{body(`<a:b:c/>`), NoteMalformed}, {body(`<:a/><a:/>`), ""}, {body(`<é漢/>`), ""}, {body(`<a×/>`), NoteMalformed}, {body(`<a 1="x"/>`), NoteMalformed}, {body(`</>`), NoteMalformed}, {body(`</testsuite x>`), NoteMalformed},
		{body("\xff"), NoteEncoding}, {body("\xed\xa0\x80"), NoteEncoding}, {body("<!-- \xc3( -->"), NoteEncoding}, {body("<![CDATA[\xf8]]>"), NoteEncoding}, {body("<a b='\xe9'/>"), NoteEncoding},
		{body("\x00"), NoteMalformed}, {body("<![CDATA[\x00]]>"), NoteMalformed}, {body("<!--\x00-->"), NoteMalformed}, {body("<testcase name='\x1b'/>"), NoteMalformed},
		{body("\x1b[31m\x08\x7f\uFFFE"), ""}, {body("<testcase name='b'><skipped message='\x1b[1m'/></testcase>"), ""}, {body("<testcase name='b'><skipped message='\x00'/></testcase>"), NoteMalformed},
		{`<testsuite><testcase name="a"><testcase name="b"/></testcase></testsuite>`, NoteNestedCase},
		{`<suites><suite/></suites>`, NoteNotResults}, {`<testcase name="a"/>`, NoteNotResults}, {`<html/>`, NoteNotResults},
		{`<?xml version="1.1"?>` + good, ""}, {`<?xml version="1.1"?>` + body(`&#27;`), NoteMalformed}, {`<?xml version="2.0"?>` + good, NoteMalformed}, {`<?xml encoding="UTF-8"?>` + good, NoteMalformed},
		{`<?xml version="1.0" standalone="maybe"?>` + good, NoteMalformed}, {`<?xml version="1.0"encoding="UTF-8"?>` + good, NoteMalformed}, {`<?xml version="1.0" encoding="?"?>` + good, NoteMalformed + "?"},
		{`<?xml version=1.0?>` + good, NoteMalformed}, {`<?xml version="1.0" x="y"?>` + good, NoteMalformed}, {`<?xml version="1.0" encoding=""?>` + good, NoteMalformed}, {`<?xml version="1.0?>` + good, NoteMalformed},
		{`<?xml version="1.0" encoding="ebcdic-cp-us"?>` + good, NoteEncoding}, {`<?xml version="1.0" encoding="Shift_JIS"?>` + good, ""}, {`<?xml version="1.0" encoding="Shift_JIS"?>` + body("\x83\x65"), ""}, {`<?xml version="1.0" encoding="Shift_JIS"?>` + body("\x83"), NoteEncoding},
		{`<?xml version="1.0" encoding="US-ASCII"?>` + good, ""}, {`<?xml version="1.0" encoding="US-ASCII"?>` + body("\xe9"), NoteEncoding}, {`<?xml version="1.0" encoding="ISO-2022-JP"?>` + good, NoteEncoding}, {`<?xml version="1.0" encoding="GB18030"?>` + body("\x84\x31\xa4"), NoteEncoding},
	} {
		res := Read(strings.NewReader(c.doc), "junit", Limits{}, func(*Case) {})
		checkBest(t, c.doc, res)
		if c.code == "" {
			if res.Conclusion != Pass {
				t.Errorf("%q: %s %v, want a pass", c.doc, res.Conclusion, res.Notes)
			}
			continue
		}
		code, loose := strings.CutSuffix(c.code, "?")
		if res.Conclusion != Invalid || !loose && !slices.ContainsFunc(res.Notes, func(n Note) bool { return n.Code == code && n.Line > 0 }) {
			t.Errorf("%q: %s %v, want invalid by %s", c.doc, res.Conclusion, res.Notes, code)
		}
	}
}

// encodeUTF16 encodes text with a byte order mark or without.
func encodeUTF16(text string, bigEndian, mark bool) string {
	if mark {
		text = "\uFEFF" + text
	}
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(text)) {
		if bigEndian {
			b.WriteByte(byte(u >> 8))
			b.WriteByte(byte(u))
		} else {
			b.WriteByte(byte(u))
			b.WriteByte(byte(u >> 8))
		}
	}
	return b.String()
}

// TestEncodings reads one document in the encodings that files come in, and names in them.
func TestEncodings(t *testing.T) {
	doc := func(encoding, name string) string {
		return `<?xml version="1.0" encoding="` + encoding + `"?><testsuite name="s"><testcase name="` + name + `"/></testsuite>`
	}
	long := doc("utf-16", strings.Repeat("漢🎉", 9_000)+"é")
	for _, c := range []struct {
		what, data string
		want       Conclusion
		name       string
		noted      bool
	}{
		{"UTF-8", doc("UTF-8", "prüft 漢"), Pass, "prüft 漢", false},
		{"UTF-8 with a mark", "\uFEFF" + doc("utf-8", "prüft"), Pass, "prüft", false},
		{"two marks", "\uFEFF\uFEFF" + doc("utf-8", "a"), UnknownFormat, "", false},
		{"UTF-16LE", encodeUTF16(doc("utf-16", "prüft 🎉"), false, true), Pass, "prüft 🎉", false},
		{"UTF-16BE", encodeUTF16(doc("UTF-16", "prüft 🎉"), true, true), Pass, "prüft 🎉", false},
		{"UTF-16LE without a mark", encodeUTF16(doc("UTF-16", "prüft"), false, false), Pass, "prüft", false},
		{"UTF-16BE without a mark", encodeUTF16(doc("UTF-16", "prüft"), true, false), Pass, "prüft", false},
		{"UTF-16 that says UTF-8", encodeUTF16(doc("utf-8", "prüft"), false, true), Pass, "prüft", false},
		{"UTF-16 over the buffers", encodeUTF16(long, false, true), Pass, strings.Repeat("漢🎉", 9_000) + "é", false},
		{"UTF-16 cut inside a unit", encodeUTF16(doc("utf-16", "a"), false, true)[:183], Invalid, "", false},
		{"UTF-16 with a lone surrogate", "\xFF\xFE" + encodeUTF16("<testsuite><testcase name='a'/>", false, false) + "\x00\xD8" + encodeUTF16("</testsuite>", false, false), Invalid, "", false},
		{"UTF-8 that says UTF-16", doc("utf-16", "prüft"), Pass, "prüft", true},
		{"UTF-8 with a mark that says latin", "\uFEFF" + doc("iso-8859-1", "prüft"), Pass, "prüft", true},
		{"UTF-8 with a mark that says something", "\uFEFF" + doc("ebcdic", "prüft"), Pass, "prüft", false},
		{"latin", doc("ISO-8859-1", "pr\xfcft"), Pass, "prüft", false},
		{"windows", doc("Windows-1252", "\x93pr\xfcft\x94 \x80"), Pass, "“prüft” €", false},
		{"Shift_JIS", doc("Shift_JIS", "\x8d\x87\x8cv"), Pass, "合計", false},
		{"Shift_JIS over the buffers", doc("Shift_JIS", strings.Repeat("\x8d\x87", 40_000)+"x"), Pass, strings.Repeat("合", 40_000) + "x", false},
		{"EUC-JP", doc("EUC-JP", "\xb9\xe7\xb7\xd7"), Pass, "合計", false},
		{"ISO-8859-15", doc("ISO-8859-15", "\xe9\xa4"), Pass, "é€", false},
		{"windows-1251", doc("windows-1251", "\xf2\xe5\xf1\xf2"), Pass, "тест", false},
		{"cp1251", doc("cp1251", "\xf2"), Pass, "т", false},
		{"GB 2312", doc("GB2312", "\xb2\xe2"), Pass, "测", false},
		{"Big5, cut inside a character", doc("Big5", "a") + "\xa4", Invalid, "", false},
		{"EUC-KR that is none", doc("EUC-KR", "\xff\xff"), Invalid, "", false},
		{"ASCII that is none", doc("US-ASCII", "\xe9"), Invalid, "", false},
		{"UTF-7", doc("utf-7", "a"), Invalid, "", false},
		{"latin that says UTF-8", doc("UTF-8", "pr\xfcft"), Invalid, "", false},
		{"latin that says nothing", strings.Replace(doc("", "pr\xfcft"), ` encoding=""`, "", 1), Invalid, "", false},
		{"an unknown one", doc("x-klingon", "a"), Invalid, "", false},
		{"gzip that is cut", "\x1f\x8b\x08\x00\x00\x00", Incomplete, "", false},
		{"no results", `<?xml version="1.0"?><project/>`, Invalid, "", false},
		{"a web page", `<!DOCTYPE html><html></html>`, UnknownFormat, "", false},
		{"text", "all tests passed\n", UnknownFormat, "", false},
		{"nothing", "", Empty, "", false},
		{"white space", " \r\n", Empty, "", false},
	} {
		name := ""
		res := Read(strings.NewReader(c.data), "", Limits{MaxName: 1 << 20}, func(c *Case) { name = c.Name })
		checkBest(t, c.what, res)
		noted := slices.ContainsFunc(res.Notes, func(n Note) bool { return n.Code == NoteEncoding })
		if res.Conclusion != c.want || c.want == Pass && (name != c.name || noted != c.noted) {
			t.Errorf("%s: %s %q %v, want %s %q noted %v", c.what, res.Conclusion, name, res.Notes, c.want, c.name, c.noted)
		}
	}
	if res := Read(strings.NewReader("x"), "tap99", Limits{}, nil); res.Conclusion != UnknownFormat {
		t.Errorf("an unknown format name concludes %s", res.Conclusion)
	}
}

// TestEncodingNames holds that every encoding with a table has one, and that all of them agree with ASCII.
func TestEncodingNames(t *testing.T) {
	for _, name := range []string{
		"windows-1250", "windows-1251", "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258", "windows-874",
		"cp1250", "cp1251", "cp437", "cp850", "ibm850", "cp866", "ibm866", "koi8-r", "koi8-u",
		"iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8", "iso-8859-9", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16",
		"gb2312", "gbk", "gb18030", "cp936", "big5", "euc-jp", "euc-kr", "shift_jis", "shift-jis", "cp932", "windows-31j",
	} {
		tb := table(name)
		if cs, known := charsetOf(name); tb == nil || cs != tabled || !known {
			t.Errorf("%s has no table", name)
			continue
		}
		for b := byte(0); b < utf8.RuneSelf; b++ {
			dst := make([]byte, 8)
			if nDst, nSrc := decodeTable(tb, dst, []byte{b}, true); nDst != 1 || nSrc != 1 || dst[0] != b {
				t.Errorf("%s: %#x becomes %q", name, b, dst[:nDst])
			}
		}
	}
	if table("us-ascii") != nil || table("ebcdic-cp-us") != nil {
		t.Error("a table for what needs or has none")
	}
}

// TestEvents reads streams whose lines are not what they should be.
func TestEvents(t *testing.T) {
	const (
		start = `{"Action":"start","Package":"p"}`
		run   = `{"Action":"run","Package":"p","Test":"TestA"}`
		pass  = `{"Action":"pass","Package":"p","Test":"TestA"}`
		end   = `{"Action":"pass","Package":"p"}`
		fail  = `{"Action":"fail","Package":"p"}`
	)
	good := start + "\n" + run + "\n" + pass + "\n" + end + "\n"
	with := func(line string) string { return start + "\n" + line + "\n" + run + "\n" + pass + "\n" + end + "\n" }
	for _, c := range []struct {
		stream string
		want   Conclusion
		code   string
	}{
		{good, Pass, ""}, {strings.ReplaceAll(good, "\n", "\r\n"), Pass, ""}, {strings.TrimSpace(good), Pass, ""}, {strings.ReplaceAll(good, "\n", ""), Pass, ""},
		{strings.ReplaceAll(good, ":", " :\t"), Pass, ""}, {"[" + strings.Join([]string{run, pass, end}, ",") + "]", Pass, ""}, {"[]", Empty, NoteEmptyFile}, {"", Empty, NoteEmptyFile},
		{"[" + run + pass + "]", Incomplete, NoteMalformedLine}, {"[" + run + ",]", Incomplete, NoteMalformedLine}, {"[" + run + "," + pass + "," + end, Incomplete, NoteCut}, {"[" + run + ",", Incomplete, NoteCut},
		{"[" + end + "] x", Incomplete, NoteMalformedLine}, {"[1]", Incomplete, NoteMalformedLine}, {"[" + run + "," + pass[:20], Incomplete, NoteCut}, {`[{"a":}]`, Incomplete, NoteMalformedLine},
		{with("plain words"), Pass, NoteForeignLines}, {with(`{"level":"info"}`), Pass, NoteForeignLines}, {with(`{"Action":"login","user":"x"}`), Pass, NoteForeignLines}, {with(`{not json}`), Pass, NoteForeignLines},
		{with("x " + fail), Incomplete, NoteMalformedLine}, {with(fail + "x"), Incomplete, NoteMalformedLine}, {with(fail[:20]), Incomplete, NoteMalformedLine},
		{with(`{"Action":"fail","Action":"pass","Package":"p"}`), Incomplete, NoteMalformedLine}, {with(`{"action":"fail","Package":"p"}`), Incomplete, NoteMalformedLine},
		{with(`{"Action":"output","Package":"p","x":1,"x":2}`), Incomplete, NoteMalformedLine}, {with(`{"\u0041ction":"output","Package":"p"}`), Pass, ""}, {with(`{"\u0061ction":"output","Package":"p"}`), Incomplete, ""},
		{with(`{"Action":"output","Package":1}`), Incomplete, NoteMalformedLine}, {with(`{"Action":"output","Package":"p","Test":null}`), Pass, ""}, {with(`{"Action":"output","Package":"p","Elapsed":"1"}`), Incomplete, NoteMalformedLine},
		{with(`{"Action":"output","Package":"p","Elapsed":1e5,"x":[1,-0.5,true,false,null,{"a":"b","c":[]},{}]}`), Pass, ""}, {with(`{"Action":"output","Package":"p","x":[1,]}`), Incomplete, NoteMalformedLine},
		{with(`{"Action":"output","Package":"p","x":01}`), Incomplete, NoteMalformedLine}, {with(`{"Action":"output","Package":"p","x":1.}`), Incomplete, NoteMalformedLine}, {with(`{"Action":"output","Package":"p","x":tru}`), Incomplete, NoteMalformedLine},
		{with(`{"Action":"output","Package":"p","x":{"a" 1}}`), Incomplete, NoteMalformedLine}, {with(`{"Action":"output","Package":"p","x":{1:1}}`), Incomplete, NoteMalformedLine}, {with(`{"Action":"output","Package":"p","x":-}`), Incomplete, NoteMalformedLine},
		{with(`{"Action":"output","Package":"p",}`), Incomplete, NoteMalformedLine}, {with(`{"Action":"output","Package":"p","Output":"\x"}`), Incomplete, NoteMalformedLine}, {with(`{"Action":"output","Package":"p","Output":"\u12G4"}`), Incomplete, NoteMalformedLine},
		{with("{\"Action\":\"output\",\"Package\":\"p\",\"Output\":\"\xff\"}"), Incomplete, NoteMalformedLine}, {with("{\"Action\":\"output\",\"Package\":\"p\",\"Output\":\"a\tb\"}"), Incomplete, NoteMalformedLine},
		{with(`{"Action":"run","Package":"p","Test":"T\u001b"}`), Incomplete, NoteMalformedLine}, {with(`{"Action":"run","Package":"\u0000","Test":"T"}`), Incomplete, NoteMalformedLine},
		{with(`{"Action":"explode","Package":"p"}`), Incomplete, NoteUnknownAction}, {with(`{"Action":"","Package":"p"}`), Incomplete, NoteUnknownAction}, {with(`{"Package":"p","Test":"TestB"}`), Incomplete, NoteUnknownAction},
		{with(`{"Action":"build-fail","ImportPath":"q"}`), Fail, NoteBuildFailed}, {with(`{"Action":"build-output","ImportPath":"q","Output":"x"}`), Pass, ""},
		{start + "\n" + fail, Fail, NotePackageFailed}, {start, Incomplete, NoteNoTerminalEvent}, {start + "\n" + end, Empty, ""}, {good + start, Incomplete, NoteNoTerminalEvent}, {good + `{"Action":"output","Package":"q","Output":"x"}`, Incomplete, NoteNoTerminalEvent},
		{good + start[:10], Incomplete, NoteCut}, {"words only\n", Invalid, NoteNotResults}, {`{"Action":"fail"}`, Fail, NotePackageFailed},
		{start + run + run + pass + end, Fail, NoteUnfinished}, {`{"Act\u0069on":"p\u0061ss","Package":"p","Test":"TestA"}` + end, Pass, ""},
		{with(`{"Action":"output","Package":"p","Output":"ok  \tp\t(cached)\tcoverage: 5%\n"}`), Pass, NoteCached}, {with(`{"Action":"output","Package":"p","Output":"ok  \tq\t(cached)\n"}`), Pass, ""},
		{with(`{"Action":"output","Package":"p","Test":"TestA","Output":"ok  \tp\t(cached)\n"}`), Pass, ""}, {with(`{"Action":"output","Package":"p","Output":"ok  \tp"}`), Pass, ""},
	} {
		res := Read(strings.NewReader(c.stream), "go-json", Limits{}, func(*Case) {})
		checkBest(t, c.stream, res)
		if res.Conclusion != c.want || c.code != "" && !slices.ContainsFunc(res.Notes, func(n Note) bool { return n.Code == c.code }) {
			t.Errorf("%s\nconcludes %s %+v %v, want %s by %q", c.stream, res.Conclusion, res.Counts, res.Notes, c.want, c.code)
		}
		if cached := c.code == NoteCached; cached != (res.CachedN == 1) {
			t.Errorf("%s\n%d packages cached", c.stream, res.CachedN)
		}
	}
}
