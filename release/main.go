// Command release makes what a release holds besides the binaries: the bill of materials, the licences of what is
// linked in, the image, and the action's metadata with that image.
//
// It decides nothing and reaches no network. It trusts the binaries to say what they are made of, which the Go linker
// writes into them, and the module cache to hold the modules that they name. The same input gives the same bytes.
//
//	release sbom -version V -time SECONDS BINARY...
//	release licenses BINARY...
//	release image -version V -time SECONDS -ca FILE -license FILE -notices FILE -out DIR ARCH=BINARY...
//	release action -image REFERENCE FILE
package main

import (
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// modulePath is the module that is released.
const modulePath = "github.com/outcome-gate/outcome-gate"

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "release: error:", err)
		os.Exit(1)
	}
}

// options are the flags of all parts; each part says which it needs.
type options struct {
	version, ca, license, notices, out, image string
	seconds                                   int64
}

func (o *options) time() time.Time { return time.Unix(o.seconds, 0).UTC() }

func run(args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return errors.New("say what to make: sbom, licenses, image or action")
	}
	var o options
	fl := flag.NewFlagSet("release "+args[0], flag.ContinueOnError)
	fl.SetOutput(stderr)
	fl.StringVar(&o.version, "version", "", "`VERSION` that is released")
	fl.Int64Var(&o.seconds, "time", 0, "time of everything, in `SECONDS` since 1970")
	fl.StringVar(&o.ca, "ca", "", "`FILE` with the certificate authorities of the image")
	fl.StringVar(&o.license, "license", "", "`FILE` with the licence")
	fl.StringVar(&o.notices, "notices", "", "`FILE` with the licences of what is linked in")
	fl.StringVar(&o.out, "out", "", "`DIR` to write the image's layout into")
	fl.StringVar(&o.image, "image", "", "`REFERENCE` of the image, by digest")
	if err := fl.Parse(args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "sbom":
		return sbom(stdout, &o, fl.Args())
	case "licenses":
		return licenses(stdout, fl.Args())
	case "image":
		return image(stdout, &o, fl.Args())
	case "action":
		return action(stdout, &o, fl.Args())
	default:
		return fmt.Errorf("there is no part %q", args[0])
	}
}

// module is one module that is linked into a binary.
type module struct{ Path, Version, Sum string }

// linked lists the modules of binaries, each once and in order, and the version of Go that linked them. It refuses
// binaries of another module, and ones that were not linked by the same Go.
func linked(binaries []string) (modules []module, goVersion string, err error) {
	if len(binaries) == 0 {
		return nil, "", errors.New("no binary is named")
	}
	for _, name := range binaries {
		info, err := buildinfo.ReadFile(name)
		if err != nil {
			return nil, "", fmt.Errorf("read binary %s: %w", name, err)
		}
		if info.Main.Path != modulePath {
			return nil, "", fmt.Errorf("binary %s is of module %q", name, info.Main.Path)
		}
		if goVersion != "" && goVersion != info.GoVersion {
			return nil, "", fmt.Errorf("binary %s was linked by %s, others by %s", name, info.GoVersion, goVersion)
		}
		goVersion = info.GoVersion
		for _, d := range info.Deps {
			m, err := moduleOf(d)
			if err != nil {
				return nil, "", fmt.Errorf("read binary %s: %w", name, err)
			}
			modules = append(modules, m)
		}
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.Path+"@"+a.Version, b.Path+"@"+b.Version) })
	return slices.Compact(modules), goVersion, nil
}

// moduleOf is the module whose code is linked, which is the replacement where there is one.
func moduleOf(d *debug.Module) (module, error) {
	if d.Replace != nil {
		d = d.Replace
	}
	if d.Path == "" || d.Version == "" || d.Sum == "" {
		return module{}, fmt.Errorf("module %q has no version or no sum, so nobody can tell what it is", d.Path)
	}
	return module{d.Path, d.Version, d.Sum}, nil
}
