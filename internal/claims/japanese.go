package claims

import (
	"bytes"
	"strings"
)

// japanese reads the few forms that say in Japanese, without any doubt, that tests passed or were not run. Where a word
// of the sentence may negate, plan or ask, it is no claim.
func (s *sentence) japanese() {
	first, last := s.toks[0].at, s.toks[len(s.toks)-1].end
	text := s.p.src[first:last]
	s.p.f.out.steps += len(text)
	if !bytes.Contains(text, []byte("テスト")) {
		return
	}
	for _, w := range []string{"未実行", "実行していません", "実行できません", "実行できていません", "実施していません"} {
		if bytes.Contains(text, []byte(w)) && !bytes.Contains(text, []byte("場合")) {
			s.emit(&Claim{Kind: Admission}, 0, len(s.toks))
			return
		}
	}
	for _, w := range []string{
		"ない", "ません", "なかっ", "せず", "未", "予定", "べき", "たら", "れば", "場合", "なら", "はず", "か？", "か?", "でしょう", "思", "以前", "前は", "以外", "除", "一部", "ほぼ", "約",
		"ように", "こと", "まで", "確認して", "ください", "する前", "時", "とき", "不",
	} {
		if bytes.Contains(text, []byte(w)) {
			return
		}
	}
	for i := range s.toks {
		if s.toks[i].kind == quoted || s.toks[i].kind == code {
			return
		}
	}
	squeezed := strings.Join(strings.Fields(string(text)), "")
	if n, ok := japaneseCount(squeezed); ok {
		s.emit(&Claim{Kind: Counts, Passed: &n}, 0, len(s.toks))
		return
	}
	for _, subject := range []string{"全テスト", "全テストが", "全てのテストが", "すべてのテストが", "全ての単体テストが", "すべての単体テストが", "テストは全て", "テストはすべて", "テスト全件"} {
		_, rest, found := strings.Cut(squeezed, subject)
		if !found {
			continue
		}
		for _, verb := range []string{"通過", "成功", "パス", "合格"} {
			if after, ok := strings.CutPrefix(rest, verb); ok && concludes(after) {
				s.emit(&Claim{Kind: AllPass, Scope: Whole}, 0, len(s.toks))
				return
			}
		}
	}
}

// concludes says whether nothing but the end of the sentence follows a verb.
func concludes(after string) bool {
	for _, end := range []string{"しました", "した", "済み", "です", "しています", "している"} {
		if rest, ok := strings.CutPrefix(after, end); ok {
			after = rest
			break
		}
	}
	return after == "" || strings.HasPrefix(after, "。") || strings.HasPrefix(after, "、") || strings.HasPrefix(after, "（") || strings.HasPrefix(after, "(") || strings.HasPrefix(after, "!") || strings.HasPrefix(after, "！")
}

// japaneseCount reads テスト: 12件成功, テスト12件が成功, 12件のテストが成功.
func japaneseCount(text string) (int, bool) {
	before, after, found := strings.Cut(text, "件")
	if !found {
		return 0, false
	}
	digits := len(before)
	for digits > 0 && before[digits-1] >= '0' && before[digits-1] <= '9' {
		digits--
	}
	label := before[:digits]
	n, ok := count([]byte(before[digits:]))
	if !ok {
		return 0, false
	}
	switch {
	case label == "" || label == "全":
		if after, ok = strings.CutPrefix(after, "のテストが"); !ok {
			return 0, false
		}
	case label != "テスト" && label != "テスト:" && label != "テスト：" && label != "テスト結果:" && label != "テスト結果：" && label != "全テスト" && label != "単体テスト" && label != "単体テスト:":
		return 0, false
	}
	for _, link := range []string{"すべて", "全て", "が", "中"} {
		after = strings.TrimPrefix(after, link)
	}
	for _, verb := range []string{"通過", "成功", "パス", "合格"} {
		if rest, ok := strings.CutPrefix(after, verb); ok && concludes(rest) {
			return n, true
		}
	}
	return 0, false
}
