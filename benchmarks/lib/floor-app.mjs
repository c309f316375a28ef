/**
 * The least that a gateway with a durable record can cost: it parses the JSON, forwards it with the gateway's own client,
 * stores a row of the size of a record with the gateway's own group commit, and does nothing else. No credential, no
 * rule, no key, no limit. `FORM=http` leaves Nest and Express out too.
 */
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';
import { Body, Controller, Module, Post, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import pg from 'pg';
import { GroupCommit } from '../../dist/apps/api/src/platform/group-commit.js';
import { UPSTREAM_RESPONSE_MAX_BYTES, UPSTREAM_TIMEOUT_MS } from '../../dist/libs/contracts/src/limits.js';
import { EgressClient } from '../../dist/libs/egress/src/index.js';

const client = new EgressClient({
  privateAllowlist: new Set([process.env.UPSTREAM]),
  timeoutMs: UPSTREAM_TIMEOUT_MS,
  maxBytes: UPSTREAM_RESPONSE_MAX_BYTES,
});
const database = new pg.Pool({ connectionString: process.env.DATABASE, max: 4 });
/** With as many indexes as a request has entries in those of `audit_records`. */
await database.query(`
  CREATE TABLE records (id uuid PRIMARY KEY, at timestamptz NOT NULL, kind text NOT NULL, workspace_id int NOT NULL,
    service_id int NOT NULL, agent_id int NOT NULL, request_id text NOT NULL, method text NOT NULL, url text NOT NULL,
    intent text NOT NULL, outcome text NOT NULL, status int NOT NULL, duration_ms int NOT NULL);
  CREATE INDEX ON records (workspace_id, id); CREATE INDEX ON records (service_id, id);
  CREATE INDEX ON records (agent_id, id); CREATE INDEX ON records (request_id)`);
const COLUMNS = ['uuid', 'text', 'text', 'text', 'int'];
const INSERT = {
  name: 'insert',
  text: `INSERT INTO records SELECT id, now(), 'request', 1, 1, 1, id, method, url, intent, 'forwarded', status, 1
    FROM unnest(${COLUMNS.map((type, index) => `$${index + 1}::${type}[]`).join(', ')}) AS t (id, method, url, intent, status)`,
};
const records = new GroupCommit(async (rows) => {
  await database.query({ ...INSERT, values: COLUMNS.map((_, column) => rows.map((row) => row[column])) });
  return rows;
});

/** @param {{targetUrl: string, method: string, intent: string, body?: string}} request */
async function forward(request) {
  const { targetUrl, method, intent, body } = request;
  const answer = await client.send({
    url: new URL(targetUrl),
    method,
    headers: { 'content-type': 'application/json' },
    body: body ? Buffer.from(body) : null,
  });
  await records.add([randomUUID(), method, targetUrl, intent, answer.status]);
  return answer;
}

const FORMS = { nest: startNest, http: startHttp };

async function startNest() {
  class FloorController {
    async forward(body, response) {
      const answer = await forward(body);
      response.status(answer.status);
      for (const [name, value] of answer.headers) if (name !== 'content-length') response.setHeader(name, value);
      response.send(answer.body);
    }
  }
  const { prototype } = FloorController;
  Reflect.defineMetadata('design:paramtypes', [Object, Object], prototype, 'forward');
  Controller('proxy')(FloorController);
  Post()(prototype, 'forward', Object.getOwnPropertyDescriptor(prototype, 'forward'));
  Body()(prototype, 'forward', 0);
  Res()(prototype, 'forward', 1);
  class FloorModule {}
  Module({ controllers: [FloorController] })(FloorModule);
  const app = await NestFactory.create(FloorModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  return app.getHttpServer();
}

async function startHttp() {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      const { status, headers, body } = await forward(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(status, headers.flat());
      response.end(body);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const server = await FORMS[process.env.FORM]();
process.send({ port: server.address().port });
