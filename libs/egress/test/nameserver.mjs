/** A small but real nameserver (RFC 1035) on loopback, for tests and for `test/chaos`. */
import { createSocket } from 'node:dgram';

/**
 * @typedef {object} Nameserver
 * @property {string} address for `setServers`
 * @property {string[]} questions all received questions, like `A api.test`, in order of arrival
 * @property {() => Promise<void>} close
 */
/**
 * The response for each name: its addresses of both families, `silent` for no response, or `servfail`. All other names
 * do not exist. `*.dead.test` means all names below `dead.test`.
 * @typedef {Record<string, string[] | 'silent' | 'servfail'>} Zone
 */

/** @type {Record<number, string>} */
const TYPES = { 1: 'A', 28: 'AAAA' };
const NXDOMAIN = 3;
const SERVFAIL = 2;

/** @param {Zone} zone @returns {Promise<Nameserver>} */
export async function startNameserver(zone) {
  const socket = createSocket('udp4');
  /** @type {string[]} */
  const questions = [];
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    questions.push(`${type} ${name}`);
    const entry = findEntry(zone, name);
    if (entry !== 'silent') socket.send(answerTo(query.subarray(0, end), type, entry), from.port, from.address);
  });
  await new Promise((resolve) => socket.bind(0, '127.0.0.1', () => resolve(undefined)));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** @param {Zone} zone @param {string} name */
function findEntry(zone, name) {
  if (name in zone) return zone[name];
  const parent = Object.keys(zone).find((key) => key.startsWith('*.') && name.endsWith(key.slice(1)));
  return parent === undefined ? null : zone[parent];
}

/** @param {Buffer} query */
function readQuestion(query) {
  const labels = [];
  let at = 12;
  for (let length = query[at]; length > 0; length = query[at]) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  return { name: labels.join('.').toLowerCase(), type: TYPES[type] ?? String(type), end: at + 5 };
}

/** @param {Buffer} question the question, including the header @param {string} type @param {string[] | 'servfail' | null} entry */
function answerTo(question, type, entry) {
  const family = type === 'A' ? '.' : ':';
  const addresses = Array.isArray(entry) ? entry.filter((address) => address.includes(family)) : [];
  const head = Buffer.from(question);
  const code = entry === 'servfail' ? SERVFAIL : entry === null ? NXDOMAIN : 0;
  // A response; recursion is desired and available.
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...addresses.map(record)]);
}

/** A record whose name points to the question, with a TTL of one minute. @param {string} address */
function record(address) {
  const isV4 = address.includes('.');
  const data = isV4 ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
  return Buffer.concat([Buffer.from([0xc0, 0x0c, 0, isV4 ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, data.length]), data]);
}

/** @param {string} address */
function ipv6Bytes(address) {
  const [left, right = []] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return Buffer.from([...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
