# syntax=docker/dockerfile:1

# Both images are named by tag so that a rebuild picks up their fixes. A release
# should pin them by digest instead, so that the same commit gives the same image:
#   docker build --build-arg BUILD_IMAGE=golang:1.26@sha256:… \
#                --build-arg RUN_IMAGE=gcr.io/distroless/static:nonroot@sha256:… .
ARG BUILD_IMAGE=golang:1.26
ARG RUN_IMAGE=gcr.io/distroless/static:nonroot

# The build runs on the builder's own platform and cross-compiles: without cgo
# that is a matter of two variables, and much faster than emulation.
FROM --platform=$BUILDPLATFORM ${BUILD_IMAGE} AS build
WORKDIR /src

# The modules come first: they change more seldom than the code.
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod \
    go mod download

COPY . .
ARG VERSION=dev
ARG COMMIT=unknown
ARG TARGETOS
ARG TARGETARCH
RUN --mount=type=cache,target=/go/pkg/mod \
    --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOOS=${TARGETOS} GOARCH=${TARGETARCH} \
    go build -trimpath -buildvcs=false \
      -ldflags "-s -w -X main.version=${VERSION} -X main.commit=${COMMIT}" \
      -o /out/pdp ./cmd/pdp && \
    install -d -m 0700 /out/state

FROM ${RUN_IMAGE}
ARG VERSION=dev
ARG COMMIT=unknown
LABEL org.opencontainers.image.title="pdp" \
      org.opencontainers.image.description="Policy decision point for AI agents: may this tool call run?" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/agent-pdp/pdp" \
      org.opencontainers.image.documentation="https://github.com/agent-pdp/pdp/tree/main/docs" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${COMMIT}"

COPY --from=build /src/LICENSE /LICENSE
COPY --from=build /out/pdp /pdp
# 65532 is the base image's nonroot. The state directory is the only place that
# is written to: the container runs with --read-only, and a new named volume
# takes over this directory's owner.
COPY --from=build --chown=65532:65532 /out/state /var/lib/pdp
VOLUME ["/var/lib/pdp"]

USER 65532:65532
EXPOSE 8080

# In a container nobody is local. Published to the host's loopback, answering
# without a credential what needs no stored state is what --anonymous=local does
# outside of one. Where others can reach the port: -e PDP_ANONYMOUS=never.
ENV PDP_ANONYMOUS=anywhere

# The wildcard address is for the container's own network: publish the port to
# the host's loopback (-p 127.0.0.1:8080:8080) unless others are meant to reach
# it. A policy is mounted and named: -v ./policy.yaml:/etc/pdp/policy.yaml:ro
# and PDP_POLICY=/etc/pdp/policy.yaml.
ENTRYPOINT ["/pdp"]
CMD ["serve", "--listen", "0.0.0.0:8080", "--state-dir", "/var/lib/pdp"]

HEALTHCHECK --interval=30s --timeout=3s --start-period=10s --retries=3 \
  CMD ["/pdp", "healthcheck"]
