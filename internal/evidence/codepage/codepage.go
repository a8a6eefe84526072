// Package codepage knows the character encodings that evidence files are declared in, by the names that tools write.
//
// It decides nothing and trusts nothing: a name without a table has no encoding. Encodings that give ASCII bytes another
// meaning (ISO-2022-JP, UTF-7, EBCDIC) have none, since a declaration in them could not have been read as it was. The
// names are written out here because the library's own indexes of names take a fifth of the program's start to set up.
package codepage

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// Named is the encoding that a name, in lower case, stands for, nil where this package has no table for it (UTF-8,
// UTF-16 and those named above among them). Names are IANA's and those that tools write in their place.
func Named(name string) encoding.Encoding {
	switch name {
	case "gbk", "gb2312", "cp936": // GB 2312 is a part of GBK
		return simplifiedchinese.GBK
	case "gb18030":
		return simplifiedchinese.GB18030
	case "big5":
		return traditionalchinese.Big5
	case "euc-jp":
		return japanese.EUCJP
	case "euc-kr":
		return korean.EUCKR
	case "shift_jis", "shift-jis", "cp932", "windows-31j":
		return japanese.ShiftJIS
	}
	if page := page(name); page != nil {
		return page
	}
	return nil
}

// page is the table of one byte that a name stands for, or nil.
func page(name string) *charmap.Charmap {
	switch name {
	case "iso-8859-1", "iso8859-1", "iso_8859-1", "iso88591", "latin1", "latin-1", "l1":
		return charmap.ISO8859_1
	case "windows-1252", "cp1252", "cp-1252", "x-cp1252":
		return charmap.Windows1252
	case "windows-1250", "cp1250":
		return charmap.Windows1250
	case "windows-1251", "cp1251":
		return charmap.Windows1251
	case "windows-1253":
		return charmap.Windows1253
	case "windows-1254":
		return charmap.Windows1254
	case "windows-1255":
		return charmap.Windows1255
	case "windows-1256":
		return charmap.Windows1256
	case "windows-1257":
		return charmap.Windows1257
	case "windows-1258":
		return charmap.Windows1258
	case "windows-874":
		return charmap.Windows874
	case "cp437":
		return charmap.CodePage437
	case "cp850", "ibm850":
		return charmap.CodePage850
	case "cp866", "ibm866":
		return charmap.CodePage866
	case "koi8-r":
		return charmap.KOI8R
	case "koi8-u":
		return charmap.KOI8U
	}
	return isoPage(name)
}

// isoPage is the part of ISO 8859 that a name stands for, or nil.
func isoPage(name string) *charmap.Charmap {
	part, ok := strings.CutPrefix(name, "iso-8859-")
	if !ok {
		return nil
	}
	switch part {
	case "2":
		return charmap.ISO8859_2
	case "3":
		return charmap.ISO8859_3
	case "4":
		return charmap.ISO8859_4
	case "5":
		return charmap.ISO8859_5
	case "6":
		return charmap.ISO8859_6
	case "7":
		return charmap.ISO8859_7
	case "8":
		return charmap.ISO8859_8
	case "9":
		return charmap.ISO8859_9
	case "10":
		return charmap.ISO8859_10
	case "13":
		return charmap.ISO8859_13
	case "14":
		return charmap.ISO8859_14
	case "15":
		return charmap.ISO8859_15
	case "16":
		return charmap.ISO8859_16
	}
	return nil
}

// IsASCII reports whether a name, in lower case, stands for ASCII.
func IsASCII(name string) bool {
	switch name {
	case "us-ascii", "ascii", "iso646-us", "ansi_x3.4-1968":
		return true
	}
	return false
}
