import { normalCallbackHost, UpdateAgentRequest } from '#contracts';
import { alsoCheck } from '../platform/http/validation.js';

/** Rules of agents that need more than their DTOs: told together with those (contract 1). */
alsoCheck(UpdateAgentRequest, 'callbackHosts', (entries) => {
  if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === 'string')) return [];
  return entries.flatMap((entry, index) =>
    normalCallbackHost(entry) === null ? [`callbackHosts.${index}: must be a host or host:port`] : [],
  );
});
