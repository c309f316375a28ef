/**
 * Outbound requests to upstreams: the one client of the process, the errors of the egress guard, answers and their
 * redaction. Depends on platform and libs/egress.
 */
import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { UPSTREAM_RESPONSE_MAX_BYTES } from '#contracts';
import { EgressClient } from '#egress';
import { EgressConfig } from '../platform/config.js';

@Module({
  providers: [
    {
      provide: EgressClient,
      inject: [EgressConfig],
      useFactory: ({ privateTargetAllowlist, timeouts }: EgressConfig) =>
        new EgressClient({
          privateAllowlist: privateTargetAllowlist,
          timeoutMs: timeouts.upstreamMs,
          maxBytes: UPSTREAM_RESPONSE_MAX_BYTES,
        }),
    },
  ],
  exports: [EgressClient],
})
export class EgressModule implements OnApplicationShutdown {
  constructor(private readonly client: EgressClient) {}

  onApplicationShutdown(): Promise<void> {
    return this.client.close();
  }
}
