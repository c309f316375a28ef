import { Injectable } from '@nestjs/common';
import { IDEMPOTENCY_STATUS_HEADER } from '#contracts';
import { errors } from '../platform/errors.js';
import type { Around, Exchange, Handle } from '../proxy/around.js';
import { abortWhenGone } from '../proxy/client-gone.js';
import type { ProxyOutcome } from '../proxy/outcome.js';
import { NEVER_GONE } from '../proxy/proxy-request.guard.js';
import { namedService, type ServicePathRequest } from './service-path.guard.js';

/**
 * Settles what the base URL leaves open by the service's `baseUrlDefaults`. It stands inside the audit interceptor, which calls
 * it again when the configuration has changed: so a change of the defaults holds for the next request.
 */
@Injectable()
export class BaseUrlTerms implements Around {
  async around(exchange: Exchange, handle: Handle): Promise<ProxyOutcome> {
    const request = exchange as unknown as ServicePathRequest;
    const { proxyCall: call, servicePath: path, keyMissing, preferredWait } = request;
    const service = namedService(request);
    const defaults = service?.baseUrlDefaults;
    if (keyMissing && (path.idempotency ?? defaults?.idempotency) !== 'none') {
      // Recorded under the version of the service whose default it is.
      call.service = service ?? null;
      throw errors.baseUrlKeyRequired(call.method);
    }
    if (call.idempotencyKey !== null) request.res!.setHeader(IDEMPOTENCY_STATUS_HEADER, 'processed');
    call.waitSeconds = call.dryRun ? 0 : preferredWait || (path.waitSeconds ?? defaults?.wait ?? 0);
    if (call.waitSeconds > 0 && call.gone === NEVER_GONE) call.gone = abortWhenGone(request.res!);
    return handle();
  }
}
