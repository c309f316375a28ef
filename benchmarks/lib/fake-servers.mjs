/** The upstream and the model of the benchmark, in a separate process. They answer immediately and cost little. */
import { createServer } from 'node:http';
import process from 'node:process';
import { answerStream } from './stream-upstream.mjs';

const ANSWER = JSON.stringify({ id: 42, name: 'Ada', note: 'x'.repeat(400) });
const VERDICT = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'fake',
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      message: { role: 'assistant', content: '{"score": 0.1, "explanation": "harmless"}', refusal: null },
    },
  ],
});

const serve = (body) =>
  createServer((request, response) => {
    if (answerStream(request, response)) return;
    request.resume();
    request.on('end', () => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
      response.end(body);
    });
  });

const upstream = serve(ANSWER);
const model = serve(VERDICT);
upstream.keepAliveTimeout = model.keepAliveTimeout = 120_000;
upstream.listen(0, '127.0.0.1', () => {
  model.listen(0, '127.0.0.1', () => process.send({ upstream: upstream.address().port, model: model.address().port }));
});
