import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Health, Readiness } from '#contracts';
import { PublicRoute } from '../auth/public-route.js';
import { errors } from '../platform/errors.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { Drain } from '../platform/http/drain.js';
import { sendError } from '../platform/http/error-filter.js';
import { PartsGuard, type PartsRequest } from './parts.guard.js';
import { Parts } from './parts.js';
import { SchemaCheck } from './schema-check.js';

@ApiTags('Health')
@PublicRoute()
@Controller()
export class HealthController {
  constructor(
    private readonly schema: SchemaCheck,
    private readonly parts: Parts,
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
  @UseGuards(PartsGuard)
  @ApiOperation({
    summary:
      'Check that the gateway can serve requests. Queries the database. Administrators of the installation, and METRICS_TOKEN as ' +
      'bearer token, also get its parts',
  })
  @ApiOkResponse({ type: Readiness })
  @ApiErrors(503)
  async ready(@Req() request: PartsRequest, @Res({ passthrough: true }) response: Response): Promise<Readiness | void> {
    if (this.drain.hasBegun) throw errors.shuttingDown();
    const fault = await this.schema.fault();
    const parts = request.mayReadParts ? { parts: await this.parts.read() } : {};
    if (fault === null) return { status: 'ready', database: 'connected', ...parts };
    if (!request.mayReadParts) throw fault.error;
    sendError(request, response, fault.error, parts);
  }
}
