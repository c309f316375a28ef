/**
 * The baseline of the comparison: Nest and Express with their default settings. It parses the JSON, forwards it with
 * the gateway's own client, and does nothing else. It applies decorators by hand, so that it needs no build.
 */
import 'reflect-metadata';
import process from 'node:process';
import { pipeline } from 'node:stream/promises';
import { Body, Controller, Get, Module, Post, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Pool } from 'undici';
import { UPSTREAM_RESPONSE_MAX_BYTES, UPSTREAM_TIMEOUT_MS } from '../../dist/libs/contracts/src/limits.js';
import { EgressClient } from '../../dist/libs/egress/src/index.js';

const client = new EgressClient({
  privateAllowlist: new Set([process.env.UPSTREAM]),
  timeoutMs: UPSTREAM_TIMEOUT_MS,
  maxBytes: UPSTREAM_RESPONSE_MAX_BYTES,
});

class BareController {
  async forward(body, response) {
    const answer = await client.send({
      url: new URL(body.targetUrl),
      method: body.method,
      headers: { 'content-type': 'application/json' },
      body: body.body ? Buffer.from(body.body) : null,
    });
    response.status(answer.status);
    for (const [name, value] of answer.headers) if (name !== 'content-length') response.setHeader(name, value);
    response.send(answer.body);
  }
}
Reflect.defineMetadata('design:paramtypes', [Object, Object], BareController.prototype, 'forward');
Controller('proxy')(BareController);
Post()(BareController.prototype, 'forward', Object.getOwnPropertyDescriptor(BareController.prototype, 'forward'));
Body()(BareController.prototype, 'forward', 0);
Res()(BareController.prototype, 'forward', 1);

const pool = new Pool(`http://${process.env.UPSTREAM}`);

/** Passes an answer on as it arrives. */
class BareStreams {
  async pass({ originalUrl }, response) {
    const { statusCode, headers, body } = await pool.request({ path: originalUrl, method: 'GET' });
    response.writeHead(statusCode, { 'Content-Type': headers['content-type'] });
    // Here it is not an error if the reader goes away.
    await pipeline(body, response).catch(() => {});
  }
}
const pass = Object.getOwnPropertyDescriptor(BareStreams.prototype, 'pass');
Reflect.defineMetadata('design:paramtypes', [Object, Object], BareStreams.prototype, 'pass');
Controller()(BareStreams);
Get('*path')(BareStreams.prototype, 'pass', pass);
Req()(BareStreams.prototype, 'pass', 0);
Res()(BareStreams.prototype, 'pass', 1);

class BareModule {}
Module({ controllers: [BareController, BareStreams] })(BareModule);

const app = await NestFactory.create(BareModule, { logger: false });
await app.listen(0, '127.0.0.1');
process.send({ port: app.getHttpServer().address().port });
