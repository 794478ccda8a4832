# lab-api in a container, with the bundled lab engine. Labs need capabilities, and root inside:
#   docker run --user root --cap-add NET_ADMIN --cap-add SYS_ADMIN --security-opt apparmor=unconfined …
# For netlab, build an image on top of this one that installs it (scripts/install-netlab).
FROM node:24-bookworm-slim AS build
WORKDIR /app
# The packages first: they change less often than the source, and Docker keeps this layer.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
# procps: `ps`, by which processes are found where there is no /proc. tini: process 1, which ends zombies and passes
# signals on. iproute2: the links of labs. iputils-ping: for those who look into one.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates iproute2 iputils-ping procps tini \
    && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production \
    LAB_API_BIND=0.0.0.0 \
    LAB_API_DATA_DIR=/var/lib/lab-api
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN ln -s /app/dist/main.js /usr/local/bin/lab \
    && install -d -o node -g node -m 0700 /var/lib/lab-api \
    && install -d -o node -g node /labs
# A lab CLI that starts containers itself usually wants root: `--user root`, or `user: root` in a compose file.
USER node
# Relative working directories of jobs start here.
WORKDIR /labs
VOLUME /var/lib/lab-api
EXPOSE 8090
# 401 and 429 also mean that it is alive: the check has no password. The certificate is not for 127.0.0.1.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["node", "-e", "const e=process.env,w=/^(0\\.0\\.0\\.0|::)?$/.test(e.LAB_API_BIND||'');require(e.LAB_API_TLS_CERT?'https':'http').get({host:w?'127.0.0.1':e.LAB_API_BIND,port:e.LAB_API_PORT||8090,path:(e.LAB_API_BASE_PATH||'').replace(/\\/+$/,'')+'/healthz',rejectUnauthorized:false,timeout:4000},r=>process.exit(r.statusCode<500?0:1)).on('error',()=>process.exit(1)).on('timeout',()=>process.exit(1))"]
ENTRYPOINT ["tini", "--", "lab"]
CMD ["api"]
