package codepage

import (
	"testing"

	"golang.org/x/text/encoding/ianaindex"
)

// TestNamed holds every name that IANA knows against the library's own index of names.
func TestNamed(t *testing.T) {
	names := []string{"gbk", "gb18030", "big5", "euc-jp", "euc-kr", "shift_jis", "koi8-r", "koi8-u", "ibm850", "ibm866", "windows-874"}
	for _, part := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "13", "14", "15", "16"} {
		names = append(names, "iso-8859-"+part)
	}
	for _, page := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "8"} {
		names = append(names, "windows-125"+page)
	}
	for _, name := range names {
		want, err := ianaindex.IANA.Encoding(name)
		if err != nil || want == nil {
			t.Fatalf("the library does not know %s: %v", name, err)
		}
		if got := Named(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for other, name := range map[string]string{"gb2312": "gbk", "cp936": "gbk", "windows-31j": "shift_jis", "cp1250": "windows-1250", "latin1": "iso-8859-1", "cp1252": "windows-1252", "cp850": "ibm850"} {
		if Named(other) == nil || Named(other) != Named(name) {
			t.Errorf("%s is %v, want what %s is", other, Named(other), name)
		}
	}
	for _, name := range []string{"", "utf-8", "utf-16", "utf-7", "iso-2022-jp", "ibm037", "iso-8859-11", "iso-8859-", "us-ascii", "UTF-8"} {
		if e := Named(name); e != nil {
			t.Errorf("%q is %v, want none", name, e)
		}
		if IsASCII(name) != (name == "us-ascii") {
			t.Errorf("%q: ASCII is %v", name, IsASCII(name))
		}
	}
}
