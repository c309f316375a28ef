import { Injectable } from '@nestjs/common';
import { HttpConfig } from '../platform/config.js';
import type { Around, Exchange, Handle } from './around.js';
import type { ProxyOutcome } from './outcome.js';
import { locationOnGateway } from './service-path.js';
import type { ServicePathRequest } from './service-path.guard.js';

const LOCATIONS = new Set(['location', 'content-location']);

/**
 * Behind a base URL, a `Location` below the service leads to the gateway, and any other is called `X-Upstream-Location`: HTTP
 * libraries follow redirects by themselves, and most would show the agent key to wherever that is.
 */
@Injectable()
export class LocationInterceptor implements Around {
  private readonly prefix: string;

  constructor({ publicUrl }: HttpConfig) {
    this.prefix = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
  }

  async around(exchange: Exchange, handle: Handle): Promise<ProxyOutcome> {
    const outcome = await handle();
    if (outcome.kind !== 'answered' || !outcome.answer.headers.some(([name]) => isLocation(name))) return outcome;
    const { servicePath, proxyCall, agent } = exchange as unknown as ServicePathRequest;
    const service = proxyCall.service ?? agent.services.find(({ id }) => id === proxyCall.serviceId);
    const where = { targetUrl: proxyCall.targetUrl, base: this.prefix + servicePath.base };
    const headers = outcome.answer.headers.map(([name, value]): [string, string] => {
      if (!isLocation(name)) return [name, value];
      const here = service ? locationOnGateway(value, { ...where, baseUrl: service.baseUrl }) : null;
      return here === null ? [`x-upstream-${name.toLowerCase()}`, value] : [name, here];
    });
    return { ...outcome, answer: { ...outcome.answer, headers } };
  }
}

const isLocation = (name: string): boolean => LOCATIONS.has(name.toLowerCase());
