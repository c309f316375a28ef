/** Loaded before the gateway: its look-ups ask the nameserver in `CHAOS_NAMESERVER`, in place of the system's. */
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
