# The image of the action: one static binary, the certificate bundle, a writable /tmp. No shell, no git.
# It runs as root and sets neither USER nor WORKDIR, because the runner's workspace belongs to another user.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY cmd ./cmd
COPY internal ./internal
ARG VERSION=
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags="-s -w -buildid= -X main.release=${VERSION}" -o /image/gate ./cmd/gate \
 && mkdir -p /image/tmp /image/etc/ssl/certs && chmod 1777 /image/tmp \
 && cp -L /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ca-certificates.crt \
 && ln -s gate /image/gate-run && ln -s gate /image/gate-pre && ln -s gate /image/gate-post

FROM scratch
COPY --from=build /image/ /
ENTRYPOINT ["/gate"]
