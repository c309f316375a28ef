const v8 = require('node:v8');

// A test file runs most of its code a few times only. Optimising it costs more than it gains, so V8 waits fifteen times
// longer before it does (10 % less processor time). V8 in newer versions of Node has no such flag.
if (process.versions.node.startsWith('20.')) v8.setFlagsFromString('--interrupt-budget=1000000');
