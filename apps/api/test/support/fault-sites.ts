/** Where each call site of the gateway that `call-sites.cjs` finds is made to fail. */

/** `containment-faults.e2e.ts` makes these fail. */
export const TRAFFIC = [
  'agent-directory: finally in byKey',
  'agent-load: close in enter',
  'agent-load: setImmediate in serveWaiting',
  'answer-room: close in whenOver',
  'request-coding: data in run',
  'request-coding: end in run',
  'request-coding: error in run',
  'stream-redactor: then in _flush',
  'stream-redactor: then in _transform',
  'streamed-answer: flush in meter',
  'turns: setImmediate in constructor',
  'turns: setImmediate in take',
  'stream-redactor: _transform in StreamRedactor',
  'event-hub: setTimeout in actionChange',
  'event-hub: abort in actionChange',
  'event-hub: error in listen',
  'event-hub: end in listen',
  'event-hub: notification in listen',
  'event-hub: setTimeout in scheduleListen',
  'event-stream: close in constructor',
  'events.controller: setInterval in stream',
  'http-exchange: close in start',
  'mcp.controller: close in answer',
  'delivery-loop: setTimeout in start',
  'delivery-loop: finally in start',
  'background: finally in run',
  'body-budget: close in grow',
  'body-bytes: data in readBytes',
  'body-bytes: end in readBytes',
  'body-bytes: error in readBytes',
  'body-bytes: close in readBytes',
  'drain: connection in watch',
  'drain: close in watch',
  'malformed-requests: clientError in answerMalformedRequests',
  'malformed-requests: end in refuse',
  'unread-body: setTimeout in leaveUnread',
  'logging: setInterval in standardOutput',
  'client-gone: close in abortWhenGone',
  'forwarder: then in stream',
  'running-streams: setInterval in watch',
  'running-streams: then in watch',
  'running-streams: finally in tick',
  'streamed-answer: setTimeout in passTo',
  'streamed-answer: pipeline in passTo',
  'streamed-answer: transform in meter',
  'client: setInterval in constructor',
  'exchange: onRequestStart in Exchange',
  'exchange: onResponseStart in Exchange',
  'exchange: onResponseData in Exchange',
  'exchange: onResponseEnd in Exchange',
  'exchange: onResponseError in Exchange',
  'guarded-lookup: error in guardedConnector',
  'response-stream: _read in ResponseStream',
  'response-stream: _destroy in ResponseStream',
];

/** `containment-rare.e2e.ts` makes these fail. */
export const RARE = [
  'answer-room: close in charged',
  'agent-load: FinalizationRegistry in constructor',
  'decision-waiter: setTimeout in decision',
  'audit-export: drain in drained',
  'openid-provider: catch in configuration',
  'stream-redactor: _flush in StreamRedactor',
  'event-hub: setTimeout in scheduleProbe',
  'event-hub: then in scheduleProbe',
  'event-hub: catch in scheduleProbe',
  'events.controller: setTimeout in stream',
  'wait-reporter: setInterval in waitingFor',
  'wait-reporter: abort in waitingFor',
  'access-tokens: finally in noteUse',
  'delivery-loop: setTimeout in setTimer',
  'express-adapter: socket in inTurn',
  'malformed-requests: connect in answerMalformedRequests',
  'malformed-requests: checkExpectation in answerMalformedRequests',
  'mailer: finally in send',
  'mailer: setTimeout in send',
  'mailer: setTimeout in takeConnection',
  'once-per-key: then in keepStream',
  'model-client: abort in fetch',
  'connections: finally in renew',
  'database-client: catch in constructor',
  'database-client: connect in constructor',
  'database-client: then in connect',
  'negotiated-connection: connect in attempt',
  'negotiated-connection: data in askForTls',
  'negotiated-connection: close in use',
  'client: setTimeout in withinTimeout',
  'client: finally in withinTimeout',
  'exchange: setTimeout in constructor',
  'exchange: then in decode',
  'exchange: catch in decode',
  'guarded-lookup: then in guardedLookup',
  'guarded-lookup: catch in guardedLookup',
  'name-resolver: finally in constructor',
  'name-resolver: setTimeout in search',
];

/** `containment-threads.e2e.ts` makes these fail. */
export const THREADS = [
  'yaml-parser: setTimeout in toJson',
  'yaml-parser: message in toJson',
  'yaml-parser: error in toJson',
  'yaml-parser: exit in toJson',
  'openapi-reader: setTimeout in readInWorker',
  'openapi-reader: message in readInWorker',
  'openapi-reader: error in readInWorker',
  'openapi-reader: exit in readInWorker',
  'json-parser: message in start',
  'json-parser: error in start',
  'json-parser: exit in start',
  'json-parser: setTimeout in rest',
];

/** `containment-stop.e2e.ts` makes these fail. */
export const STOP = [
  'main: SIGTERM in the module',
  'main: SIGINT in the module',
  'drain: request in run',
  'drain: setTimeout in closed',
  'drain: setInterval in closed',
  'drain: close in closed',
  'logging: exit in standardOutput',
];

/** No test makes these fail. Each line says why. */
export const EXCEPTIONS: Record<string, string> = {
  'stream-redactor: catch in _flush':
    'only when the redactor throws, and no answer makes it throw; the stream would end',
  'stream-redactor: catch in _transform':
    'only when the redactor throws, and no answer makes it throw; the stream would end',
  'audit-export: close in drained': 'the same function as at drain, which fails in containment-rare.e2e.ts',
  'main: catch in the module': 'ends the process; containment-stop.e2e.ts reads what it writes',
  'events.controller: catch in stream': 'only ends an EventStream, which never throws',
  'exchange: onRequestUpgrade in Exchange':
    'undici calls it only for a request that asks for an upgrade, and none does',
  'client: setImmediate in send':
    'only when an API answers with a stream after the gateway has closed its client; client-limits.spec.ts',
  'main: uncaughtException in the module':
    'an error in the handler of uncaught errors ends any process; it only writes a line to the log',
  'json-worker: message in the module':
    'runs in the JSON thread; containment-threads.e2e.ts ends that thread in each way',
  'event-stream: error in constructor': 'Node emits it only for a write after the end, which EventStream prevents',
  'database-client: catch in connect':
    'the same callback as at then in connect, and the pool itself calls it when the database is away',
  'negotiated-connection: error in use':
    'calls the driver, which has listeners of its own for a lost database; chaos/database.e2e.ts',
  'negotiated-connection: secureConnect in encrypt':
    'with TLS only, and then the same as connect in attempt; database-tls.e2e.ts',
  'guarded-lookup: nextTick in guardedConnector':
    'calls undici only, and every target is checked before a connection is opened',
};
