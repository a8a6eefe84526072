package fakegithub

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

//go:embed openapi.json
var openAPI []byte

// description is GitHub's published description, cut to the operations that we use. One thing is put right
// in it: it does not say that the head of a pull request has no repository once the fork was deleted.
var description = sync.OnceValues(func() (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(openAPI)
	if err != nil {
		return nil, fmt.Errorf("read openapi.json: %w", err)
	}
	for _, name := range []string{"pull-request", "pull-request-simple"} {
		schema := doc.Components.Schemas[name]
		if schema == nil || schema.Value.Properties["head"] == nil {
			return nil, fmt.Errorf("read openapi.json: there is no head in %q", name)
		}
		head := schema.Value.Properties["head"].Value.Properties
		head["repo"] = openapi3.NewSchemaRef("", &openapi3.Schema{Nullable: true, AllOf: openapi3.SchemaRefs{head["repo"]}})
	}
	return doc, nil
})

// exchange is one request with what is needed to hold it against the description.
type exchange struct {
	in *openapi3filter.RequestValidationInput
}

// examine prepares a request of a known route.
func examine(r *http.Request, rt route, args map[string]string) (exchange, error) {
	doc, err := description()
	if err != nil {
		return exchange{}, err
	}
	item := doc.Paths.Value(rt.template())
	if item == nil || item.GetOperation(rt.method()) == nil {
		return exchange{}, fmt.Errorf("%s is not in the description", rt.operation)
	}
	return exchange{&openapi3filter.RequestValidationInput{
		Request:    r,
		PathParams: args,
		Route: &routers.Route{
			Spec: doc, Path: rt.template(), PathItem: item, Method: rt.method(), Operation: item.GetOperation(rt.method()),
		},
		Options: &openapi3filter.Options{
			MultiError: true, SkipSettingDefaults: true, RejectWhenRequestBodyNotSpecified: true,
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
		},
	}}, nil
}

// request says what of the request does not fit. It also refuses what the description leaves open and GitHub
// ignores in silence: query parameters that the operation does not have.
func (e exchange) request(body []byte) error {
	r := e.in.Request
	var errs []error
	for name := range r.URL.Query() {
		if e.in.Route.Operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil {
			errs = append(errs, fmt.Errorf("the operation has no query parameter %q", name))
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err := openapi3filter.ValidateRequest(r.Context(), e.in); err != nil {
		errs = append(errs, brief(err))
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return errors.Join(errs...)
}

// response says what of an answer does not fit. Only JSON is described; a status that is not described is
// one of those that every operation may have (401, 403, 404, 422, 429, 5xx).
func (e exchange) response(status int, header http.Header, body []byte) error {
	if !strings.HasPrefix(header.Get("Content-Type"), "application/json") {
		return nil
	}
	err := openapi3filter.ValidateResponse(e.in.Request.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: e.in, Status: status, Header: header,
		Body:    io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{MultiError: true, IncludeResponseStatus: status < 300},
	})
	if err != nil {
		return brief(err)
	}
	return nil
}

// brief keeps of a validation error what is wrong and where, and leaves out the schema and the value.
func brief(err error) error {
	var keep []string
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSpace(line)
		if line == "Schema:" {
			break
		}
		if line != "" {
			keep = append(keep, line)
		}
	}
	return errors.New(strings.Join(keep, " "))
}
