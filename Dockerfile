# Four images; docs/docker.md says how to run them, and why each capability and mount is needed.
#   docker build --target lab-api -t lab-api .                    the service with the bundled engine; also the default
#   docker build --target lab-api-frr -t lab-api-frr .            the same with netlab and FRR: routed labs inside the container
#   docker build --target lab-api-netlab -t lab-api-netlab .      with netlab, for lab servers
#   docker build --target lab-api-containerlab -t lab-api-containerlab --build-arg CONTAINERLAB=… .   with containerlab alone
# For a build that can be repeated to the byte, name the base by its digest: --build-arg NODE_IMAGE=node@sha256:…
ARG NODE_IMAGE=node:24-bookworm-slim
# Stage or image (docker:29-cli) that /usr/local/bin/docker is copied from.
ARG DOCKER_CLI=docker-cli-debian

FROM ${NODE_IMAGE} AS build
WORKDIR /app
# Packages first: Docker reuses this layer when only the source changes.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.mjs scripts/client-types.mjs ./scripts/
COPY scripts/lib/bundle.mjs scripts/lib/copied-files.mjs scripts/lib/freshness.mjs scripts/lib/options.mjs scripts/lib/page.mjs scripts/lib/sbom.mjs ./scripts/lib/
COPY docs/openapi.json ./docs/
COPY src ./src
COPY web ./web
RUN npm run build -- --program-only

# The program as it is in the image, for a single layer. dist contains all packages except the optionalDependencies: terminals (a
# package with a binary), and the cluster.
FROM ${NODE_IMAGE} AS program
WORKDIR /program/app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && rm -r node_modules/.bin package-lock.json .npmrc && find node_modules -type d -empty -delete
COPY --from=build /app/dist ./dist
# image-user: the service, run as root, accepts volumes of this user without a warning.
RUN install -d /program/usr/local/bin \
    && ln -s /app/dist/main.js /program/usr/local/bin/lab \
    && id -u node >image-user

# Only the programs that fetch repositories: the package of Debian brings Perl along.
FROM ${NODE_IMAGE} AS git
WORKDIR /tmp/git
RUN apt-get update \
    && apt-get download git \
    && dpkg-deb -x git_*.deb . \
    && install -D usr/bin/git /git/usr/bin/git \
    && install -D usr/lib/git-core/git-remote-https /git/usr/lib/git-core/git-remote-https

FROM ${NODE_IMAGE} AS lab-api
# tini: process 1, which reaps zombies and forwards signals. procps: `ps`, to find processes without /proc. iproute2: the
# links of labs. iputils-ping: pings and tests in nodes. tcpdump: captures. nftables: silent
# links. fping: the probes of scenarios. ca-certificates and libcurl3-gnutls: git, which fetches labs.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates fping iproute2 iputils-ping libcurl3-gnutls nftables procps tcpdump tini \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb /var/cache/debconf/*-old /var/log/*
COPY --from=git /git/ /
COPY --from=program /program/ /
# A new volume at /labs starts with the examples, writable for the image's user.
COPY --chown=node:node examples /labs/examples
RUN install -d -o node -g node -m 0700 /var/lib/lab-api && chown node:node /labs
# LAB_HOME, the engine's list of labs, is on the volume, so that the engine can report missing labs after a restart.
ENV NODE_ENV=production \
    LAB_API_BIND=0.0.0.0 \
    LAB_API_DATA_DIR=/var/lib/lab-api \
    LAB_HOME=/var/lib/lab-api/engine
# The service needs no root. Labs do (`--user root`), unless the container may make user namespaces.
USER node
# Relative working directories of jobs start here.
WORKDIR /labs
VOLUME /var/lib/lab-api /labs
EXPOSE 8090
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 CMD ["lab", "health"]
# -s: tini adopts orphans also when it is not process 1, as in the process namespace of the host.
ENTRYPOINT ["tini", "-s", "--", "lab"]
CMD ["api"]
ARG VERSION=1.0.0
ARG REVISION=
LABEL org.opencontainers.image.title="lab-api" \
    org.opencontainers.image.description="An HTTP API in front of a network-lab command-line tool, with the bundled lab engine" \
    org.opencontainers.image.licenses="MIT" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${REVISION}"

FROM ${NODE_IMAGE} AS netlab
RUN apt-get update && apt-get install -y --no-install-recommends python3-venv
COPY scripts/install-netlab.sh /tmp/
# Remove the half of Ansible for clouds, storage and controllers. Compile the rest here, because a read-only file system
# cannot keep compiled code.
RUN export PIP_NO_CACHE_DIR=1 PIP_NO_COMPILE=1 PYTHONDONTWRITEBYTECODE=1 \
    && /tmp/install-netlab.sh --prefix /opt/netlab \
    && cd /opt/netlab/lib/python3*/site-packages \
    && rm -rf ansible_test pip \
    && cd ansible_collections \
    && rm -rf amazon awx azure check_point f5networks google hetzner hitachivantara ibm infinidat kubernetes netapp* \
    openstack ovirt purestorage telekom_mms theforeman vmware cisco/aci cisco/dnac cisco/intersight cisco/ise \
    cisco/meraki cisco/mso cisco/ucs dellemc/openmanage dellemc/powerflex dellemc/unity fortinet/fortimanager \
    && rm -rf */*/tests */*/docs \
    && /opt/netlab/bin/python3 -m compileall -q -j 0 /opt/netlab/lib >/dev/null

FROM ${NODE_IMAGE} AS containerlab
# URL, or file beside this one whose name begins with "containerlab": a program, a .deb or a .tar.gz.
ARG CONTAINERLAB=scripts/no-containerlab.sh
ADD ${CONTAINERLAB} /tmp/containerlab/
WORKDIR /tmp/containerlab
# Docker has already unpacked a .tar.gz that is not from a URL.
RUN for file in *; do case $file in \
    *.deb) dpkg-deb -x "$file" . && rm "$file" ;; \
    *.tar.gz) tar -xzf "$file" && rm "$file" ;; \
    esac; done \
    && program=$(find . -type f -name containerlab | head -n 1) \
    && install -D -m 0755 "${program:-$(find . -type f | head -n 1)}" /usr/local/bin/containerlab

# Only the program, from the next Debian: the one of this Debian is too old for netlab (`docker cp --quiet`) and new engines.
FROM ${NODE_IMAGE} AS docker-cli-debian
WORKDIR /tmp/docker
RUN echo 'deb http://deb.debian.org/debian trixie main' >/etc/apt/sources.list.d/trixie.list \
    && apt-get update \
    && apt-get download docker-cli/trixie \
    && dpkg-deb -x docker-cli_*.deb . \
    && install usr/bin/docker /usr/local/bin/

FROM ${DOCKER_CLI} AS docker-cli

FROM lab-api AS lab-api-frr
# Root, because FRR's daemons run as a user of their own.
USER root
RUN apt-get update \
    && apt-get install -y --no-install-recommends frr python3 \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb /var/cache/debconf/*-old /var/log/*
COPY --from=netlab /opt/netlab /opt/netlab
# HOME, with netlab's list of labs, is on the volume, so that missing labs are reported after a restart. Ansible needs a place
# to write.
ENV PATH=/opt/netlab/bin:$PATH \
    HOME=/var/lib/lab-api/home \
    ANSIBLE_HOME=/tmp/ansible \
    LAB_API_RUNTIME=namespaces
LABEL org.opencontainers.image.title="lab-api-frr" \
    org.opencontainers.image.description="An HTTP API in front of netlab, with netlab and FRR, for labs inside the container"

FROM lab-api AS lab-api-netlab
# Root: containerlab puts links into the namespaces of containers. Access to Docker is as good as root anyway.
USER root
# sudo: netlab calls containerlab with it. openssh-client, sshpass: devices that are configured over SSH.
RUN apt-get update \
    && apt-get install -y --no-install-recommends openssh-client python3 sshpass sudo \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb /var/cache/debconf/*-old /var/log/*
COPY --from=docker-cli /usr/local/bin/docker /usr/local/bin/
COPY --from=containerlab /usr/local/bin/containerlab /usr/local/bin/
COPY --from=netlab /opt/netlab /opt/netlab
# On the host's network, 0.0.0.0 would be every address of the machine. Ansible needs a place to write.
ENV PATH=/opt/netlab/bin:$PATH \
    ANSIBLE_HOME=/tmp/ansible \
    LAB_API_BIND=127.0.0.1
# netlab sets sysctls in the namespaces of nodes, but Docker makes /proc/sys read-only. Old versions of compose do not know
# `--security-opt systempaths=unconfined`.
ENTRYPOINT ["tini", "-s", "--", "sh", "-c", "mount -o remount,bind,rw /proc/sys; exec lab \"$@\"", "lab"]
CMD ["api"]
LABEL org.opencontainers.image.title="lab-api-netlab" \
    org.opencontainers.image.description="An HTTP API in front of netlab, with netlab and Ansible, for lab servers"

FROM lab-api AS lab-api-containerlab
# Root, as above.
USER root
COPY --from=docker-cli /usr/local/bin/docker /usr/local/bin/
COPY --from=containerlab /usr/local/bin/containerlab /usr/local/bin/
ENV LAB_API_CLI=containerlab \
    LAB_API_BIND=127.0.0.1
# containerlab sets sysctls, but Docker makes /proc/sys read-only.
ENTRYPOINT ["tini", "-s", "--", "sh", "-c", "mount -o remount,bind,rw /proc/sys; exec lab \"$@\"", "lab"]
CMD ["api"]
LABEL org.opencontainers.image.title="lab-api-containerlab" \
    org.opencontainers.image.description="An HTTP API in front of containerlab, for lab servers"

# The default target of `docker build`.
FROM lab-api
