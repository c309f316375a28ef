import { normalCallbackHost, UpdateAgentRequest } from '#contracts';
import { alsoCheck } from '../platform/http/validation.js';
import { isAddressRange } from './client-addresses.js';

/**
 * Validation rules for agents that a DTO can't express. Their errors are reported together with the DTO's
 * (docs/reference/http.md#validation).
 */
alsoCheck(UpdateAgentRequest, 'callbackHosts', (entries) => {
  if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === 'string')) return [];
  return entries.flatMap((entry, index) =>
    normalCallbackHost(entry) === null ? [`callbackHosts.${index}: must be a host or host:port`] : [],
  );
});

alsoCheck(UpdateAgentRequest, 'addresses', (entries) => {
  if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === 'string')) return [];
  return entries.flatMap((entry, index) =>
    isAddressRange(entry) ? [] : [`addresses.${index}: must be an IP address or a range like 192.0.2.0/24`],
  );
});
