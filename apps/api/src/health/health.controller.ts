import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Health, Readiness } from '#contracts';
import { PublicRoute } from '../auth/public-route.js';
import { errors } from '../platform/errors.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { Drain } from '../platform/http/drain.js';
import { SqlPool } from '../platform/fast-lane/sql-pool.js';

@ApiTags('Health')
@PublicRoute()
@Controller()
export class HealthController {
  constructor(
    private readonly sql: SqlPool,
    private readonly drain: Drain,
  ) {}

  /** Checks only that the process runs, no dependencies. */
  @Get('health')
  @ApiOperation({ summary: 'Check that the process runs' })
  @ApiOkResponse({ type: Health })
  health(): Health {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({ summary: 'Check that the gateway can serve requests. Queries the database' })
  @ApiOkResponse({ type: Readiness })
  @ApiErrors(503)
  async ready(): Promise<Readiness> {
    if (this.drain.hasBegun) throw errors.shuttingDown();
    try {
      await this.sql.prepared('ready', 'SELECT 1', []);
    } catch (error) {
      throw errors.databaseUnavailable(error);
    }
    return { status: 'ready', database: 'connected' };
  }
}
