# Three images; docs/docker.md says how to run them, and why each capability and mount is needed.
#   docker build --target lab-api -t lab-api .                    the service with the bundled engine; also the default
#   docker build --target lab-api-netlab -t lab-api-netlab .      the same with netlab, for lab servers
#   docker build --target lab-api-containerlab -t lab-api-containerlab --build-arg CONTAINERLAB=… .   with containerlab alone
# For a build that can be repeated to the byte, name the base by its digest: --build-arg NODE_IMAGE=node@sha256:…
ARG NODE_IMAGE=node:24-bookworm-slim
# Whose /usr/local/bin/docker goes into lab-api-netlab: a stage below, or an image such as docker:29-cli.
ARG DOCKER_CLI=docker-cli-debian

FROM ${NODE_IMAGE} AS build
WORKDIR /app
# The packages first: they change less often than the source, and Docker keeps this layer.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.mjs scripts/client-types.mjs ./scripts/
COPY scripts/lib/bundle.mjs scripts/lib/copied-files.mjs scripts/lib/options.mjs scripts/lib/page.mjs ./scripts/lib/
COPY docs/openapi.json ./docs/
COPY src ./src
COPY web ./web
# `modules` is for tests. The packages that the program needs are in it, but for those of optionalDependencies: only they stay.
RUN npm run build && rm -r dist/modules \
    && npm prune --omit=dev && rm -r node_modules/.bin && find node_modules -type d -empty -delete

FROM ${NODE_IMAGE} AS lab-api
# tini: process 1, which ends zombies and passes signals on. procps: `ps`, by which processes are found where there is
# no /proc. iproute2: the links of labs. iputils-ping: for those who look into one. tcpdump: captures.
RUN apt-get update \
    && apt-get install -y --no-install-recommends iproute2 iputils-ping procps tcpdump tini \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb /var/cache/debconf/*-old /var/log/*
COPY --from=build /app/package.json /app/
COPY --from=build /app/dist /app/dist
# Terminals (a package with a binary), and what a service loads only as one of a cluster: they are not in dist.
COPY --from=build /app/node_modules /app/node_modules
# Of the image's own user, who may write there: a new volume at /labs begins with them.
COPY --chown=node:node examples /labs/examples
# image-user: whose volumes are no reason for a warning when the service runs as root.
RUN ln -s /app/dist/main.js /usr/local/bin/lab \
    && id -u node >/app/image-user \
    && install -d -o node -g node -m 0700 /var/lib/lab-api \
    && chown node:node /labs
# LAB_HOME, where the engine keeps what labs there are, is on the volume: after a restart it says which are missing.
ENV NODE_ENV=production \
    LAB_API_BIND=0.0.0.0 \
    LAB_API_DATA_DIR=/var/lib/lab-api \
    LAB_HOME=/var/lib/lab-api/engine
# The service needs no root; labs do, unless the container may make user namespaces: `--user root`.
USER node
# Relative working directories of jobs start here.
WORKDIR /labs
VOLUME /var/lib/lab-api /labs
EXPOSE 8090
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 CMD ["lab", "health"]
# -s: with the process namespace of the host, tini is not process 1, and asks for orphans to become its children.
ENTRYPOINT ["tini", "-s", "--", "lab"]
CMD ["api"]
ARG VERSION=0.1.0
ARG REVISION=
LABEL org.opencontainers.image.title="lab-api" \
    org.opencontainers.image.description="An HTTP API in front of a network-lab command-line tool, with the bundled lab engine" \
    org.opencontainers.image.licenses="MIT" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${REVISION}"

FROM ${NODE_IMAGE} AS netlab
RUN apt-get update && apt-get install -y --no-install-recommends python3-venv
COPY scripts/install-netlab.sh /tmp/
# Half of Ansible is for clouds, storage and controllers, which are no devices of a lab. What stays is compiled here,
# because a read-only file system keeps no compiled code.
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
# A URL, or a file beside this one whose name begins with "containerlab": a program, a .deb, or a .tar.gz.
ARG CONTAINERLAB=scripts/no-containerlab.sh
ADD ${CONTAINERLAB} /tmp/containerlab/
WORKDIR /tmp/containerlab
# Docker itself has unpacked a .tar.gz that is not from a URL.
RUN for file in *; do case $file in \
    *.deb) dpkg-deb -x "$file" . && rm "$file" ;; \
    *.tar.gz) tar -xzf "$file" && rm "$file" ;; \
    esac; done \
    && program=$(find . -type f -name containerlab | head -n 1) \
    && install -D -m 0755 "${program:-$(find . -type f | head -n 1)}" /usr/local/bin/containerlab

# The program alone, from the next Debian: that of this one is too old for netlab (`docker cp --quiet`) and for new engines.
FROM ${NODE_IMAGE} AS docker-cli-debian
WORKDIR /tmp/docker
RUN echo 'deb http://deb.debian.org/debian trixie main' >/etc/apt/sources.list.d/trixie.list \
    && apt-get update \
    && apt-get download docker-cli/trixie \
    && dpkg-deb -x docker-cli_*.deb . \
    && install usr/bin/docker /usr/local/bin/

FROM ${DOCKER_CLI} AS docker-cli

FROM lab-api AS lab-api-netlab
# Root: containerlab puts links into the namespaces of containers, and who may talk to Docker is as good as root anyway.
USER root
# sudo: netlab calls containerlab through it. openssh-client, sshpass: for devices that are configured over SSH.
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
# netlab sets sysctls in the namespaces of nodes; Docker makes /proc/sys read-only. Its `--security-opt
# systempaths=unconfined` would do, but old versions of compose do not know it.
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
# containerlab sets sysctls, and Docker makes /proc/sys read-only.
ENTRYPOINT ["tini", "-s", "--", "sh", "-c", "mount -o remount,bind,rw /proc/sys; exec lab \"$@\"", "lab"]
CMD ["api"]
LABEL org.opencontainers.image.title="lab-api-containerlab" \
    org.opencontainers.image.description="An HTTP API in front of containerlab, for lab servers"

# What `docker build` without --target makes.
FROM lab-api
