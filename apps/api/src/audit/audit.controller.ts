import { Controller, Get, Param, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { DataSource } from 'typeorm';
import { Actor, AuditPage, AuditRecord, ExportAuditQuery, ListAuditQuery } from '#contracts';
import { CurrentUser, type AuthenticatedUser } from '../auth/current-user.js';
import { JwtAuthGuard } from '../auth/jwt-auth.guard.js';
import { Clock } from '../platform/clock.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { AuditDecisions } from './audit-decisions.js';
import { EXPORT_TYPES, writeExport } from './audit-export.js';
import { AuditLog } from './audit-log.js';
import { AuditReader } from './audit-reader.js';

@ApiTags('Audit')
@ApiBearerAuth()
@Controller('audit')
@UseGuards(JwtAuthGuard)
export class AuditController {
  constructor(
    private readonly reader: AuditReader,
    private readonly decisions: AuditDecisions,
    private readonly audit: AuditLog,
    private readonly source: DataSource,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List audit records, newest first' })
  @ApiOkResponse({ type: AuditPage })
  @ApiErrors(400, 401)
  list(@CurrentUser() user: AuthenticatedUser, @Query() query: ListAuditQuery): Promise<AuditPage> {
    return this.reader.page(user.id, query);
  }

  @Get('export')
  @ApiOperation({ summary: 'Download audit records as CSV or NDJSON', description: 'The same filters as the list.' })
  @ApiOkResponse({
    content: Object.fromEntries(
      Object.values(EXPORT_TYPES).map((type) => [type.split(';')[0], { schema: { type: 'string' } }]),
    ),
  })
  @ApiErrors(400, 401)
  async export(
    @CurrentUser() user: AuthenticatedUser,
    @Query() { format, ...filter }: ExportAuditQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.audit.recordChange(this.source.manager, {
      actor: user,
      reason: 'audit.exported',
      details: { format, ...filter },
      requestId: request.requestId,
    });
    const day = this.clock.now().toISOString().slice(0, 10);
    response.setHeader('Content-Type', EXPORT_TYPES[format]);
    response.setHeader('Content-Disposition', `attachment; filename="agent-gateway-audit-${day}.${format}"`);
    // A rare search may take long to find its first record. The headers show immediately that it has begun.
    response.flushHeaders();
    await writeExport(this.reader.all(user.id, filter), format, response);
  }

  @Get('people')
  @ApiOperation({ summary: 'List the people in the record, who decided, changed something or logged in' })
  @ApiOkResponse({ type: [Actor] })
  @ApiErrors(401)
  people(@CurrentUser() user: AuthenticatedUser): Promise<Actor[]> {
    return this.decisions.people(user.id);
  }

  @Get(':recordId')
  @ApiOperation({ summary: 'Read one audit record' })
  @ApiOkResponse({ type: AuditRecord })
  @ApiErrors(401, 404)
  one(@CurrentUser() user: AuthenticatedUser, @Param('recordId') recordId: string): Promise<AuditRecord> {
    return this.reader.one(user.id, recordId);
  }
}
