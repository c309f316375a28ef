/**
 * The one outbound client of the process, for everything that talks to upstreams. Depends on platform and libs/egress.
 */
import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { EgressClient } from '#egress';
import { EgressConfig } from '../platform/config.js';

@Module({
  providers: [
    {
      provide: EgressClient,
      inject: [EgressConfig],
      useFactory: ({ privateTargetAllowlist }: EgressConfig) =>
        new EgressClient({ privateAllowlist: privateTargetAllowlist }),
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
