package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// known are the licences under which parts of others are passed on, by their SPDX identifiers, each with what its text
// says and no other's does. A text that says none of it is for a person to read first.
func known() []struct {
	id   string
	says []string
} {
	return []struct {
		id   string
		says []string
	}{
		{"Apache-2.0", []string{"Apache License Version 2.0, January 2004", "Licensed under the Apache License, Version 2.0"}},
		{"BSD-2-Clause", []string{"Redistributions in binary form must reproduce the above copyright notice"}}, // which the next says too
		{"BSD-3-Clause", []string{"may be used to endorse or promote products derived from"}},
		{"ISC", []string{"Permission to use, copy, modify, and/or distribute this software for any purpose", "Permission to use, copy, modify, and distribute this software for any purpose"}},
		{"MIT", []string{"Permission is hereby granted, free of charge, to any person obtaining a copy"}},
		{mozilla, []string{"Mozilla Public License Version 2.0"}},
	}
}

// mozilla is the one licence that asks for sources, of its own files: those are the module's, unchanged, by its name and
// version. Its text names the licences that it may be exchanged for.
const mozilla = "MPL-2.0"

// refused are names of licences that ask for more than to be named.
func refused() []string {
	return []string{"gnu general public license", "gnu affero general public license", "gnu lesser general public license", "commons clause", "business source license", "server side public license"}
}

// licenseOf names the licences of a text, joined by AND where a text holds several.
func licenseOf(text []byte) (string, error) {
	words := strings.Join(strings.Fields(string(text)), " ")
	var ids []string
	for _, l := range known() {
		if slices.ContainsFunc(l.says, func(s string) bool { return strings.Contains(words, s) }) {
			ids = append(ids, l.id)
		}
	}
	if slices.Contains(ids, "BSD-3-Clause") {
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == "BSD-2-Clause" })
	}
	for _, name := range refused() {
		if strings.Contains(strings.ToLower(words), name) && !slices.Contains(ids, mozilla) {
			return "", fmt.Errorf("its text names the %s", name)
		}
	}
	if len(ids) == 0 {
		return "", errors.New("its text is of no licence that is known here")
	}
	return strings.Join(ids, " AND "), nil
}

// isLicense tells the file that holds a licence from one that only adds to it.
func isLicense(name string) bool {
	return regexp.MustCompile(`(?i)^(licen[cs]e|copying)([._-].*)?$`).MatchString(name)
}
