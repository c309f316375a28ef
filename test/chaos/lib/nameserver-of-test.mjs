/** Loaded before the gateway: its lookups then use the nameserver in `CHAOS_NAMESERVER` instead of the system's. */
import dns from 'node:dns';
import process from 'node:process';

const { Resolver } = dns.promises;

dns.promises.Resolver = class extends Resolver {
  /** @param {import('node:dns').ResolverOptions} [options] */
  constructor(options) {
    super(options);
    this.setServers([String(process.env.CHAOS_NAMESERVER)]);
  }
};
