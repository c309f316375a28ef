import { Controller, Get, Param, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { DataSource } from 'typeorm';
import { Actor, AuditPage, AuditRecord, ExportAuditQuery, ListAuditQuery } from '#contracts';
import { Clock } from '../platform/clock.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { AuditCases } from './audit-cases.js';
import { AuditDecisions } from './audit-decisions.js';
import { EXPORT_TYPES, writeExport } from './audit-export.js';
import { AuditLog } from '../audit/audit-log.js';
import { AuditReader } from './audit-reader.js';

const CASE_TYPE = 'application/yaml';

@ApiTags('Audit')
@ApiBearerAuth()
@Controller('audit')
@UseGuards(MemberGuard)
export class AuditController {
  constructor(
    private readonly reader: AuditReader,
    private readonly decisions: AuditDecisions,
    private readonly cases: AuditCases,
    private readonly audit: AuditLog,
    private readonly source: DataSource,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Requires('auditor')
  @ApiOperation({ summary: 'List audit records, newest first' })
  @ApiOkResponse({ type: AuditPage })
  @ApiErrors(400, 401)
  list(@CurrentMember() member: ActingMember, @Query() query: ListAuditQuery): Promise<AuditPage> {
    return this.reader.page(member.workspaceId, query);
  }

  @Get('export')
  @Requires('auditor')
  @ApiOperation({ summary: 'Download audit records as CSV or NDJSON', description: 'The same filters as the list.' })
  @ApiOkResponse({
    content: Object.fromEntries(
      Object.values(EXPORT_TYPES).map((type) => [type.split(';')[0], { schema: { type: 'string' } }]),
    ),
  })
  @ApiErrors(400, 401)
  async export(
    @CurrentMember() member: ActingMember,
    @Query() { format, ...filter }: ExportAuditQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.audit.recordChange(this.source.manager, {
      actor: member,
      reason: 'audit.exported',
      details: { format, ...filter },
      requestId: request.requestId,
    });
    const day = this.clock.now().toISOString().slice(0, 10);
    response.setHeader('Content-Type', EXPORT_TYPES[format]);
    response.setHeader('Content-Disposition', `attachment; filename="agent-gateway-audit-${day}.${format}"`);
    // A rare search may take long to find its first record. The headers show immediately that it has begun.
    response.flushHeaders();
    await writeExport(this.reader.all(member.workspaceId, filter), format, response);
  }

  @Get('people')
  @Requires('auditor')
  @ApiOperation({ summary: 'List the people in the record, who decided, changed something or logged in' })
  @ApiOkResponse({ type: [Actor] })
  @ApiErrors(401)
  people(@CurrentMember() member: ActingMember): Promise<Actor[]> {
    return this.decisions.people(member.workspaceId);
  }

  @Get(':recordId/case')
  @Requires('auditor')
  @ApiOperation({
    summary: 'Export the request of a record as a case for agent-gateway test',
    description:
      'YAML with what was decided as the expectation. Values whose names say that they are secret are left out.',
  })
  @ApiOkResponse({ content: { [CASE_TYPE]: { schema: { type: 'string' } } } })
  @ApiErrors(400, 401, 404)
  async case(
    @CurrentMember() member: ActingMember,
    @Param('recordId') recordId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const text = await this.cases.text(member.workspaceId, recordId);
    await this.audit.recordChange(this.source.manager, {
      actor: member,
      reason: 'audit.exported',
      details: { case: recordId },
      requestId: request.requestId,
    });
    response.setHeader('Content-Type', CASE_TYPE);
    response.setHeader('Content-Disposition', `attachment; filename="case-${recordId.slice(0, 8)}.yaml"`);
    response.send(text);
  }

  @Get(':recordId')
  @Requires('auditor')
  @ApiOperation({ summary: 'Read one audit record' })
  @ApiOkResponse({ type: AuditRecord })
  @ApiErrors(401, 404)
  one(@CurrentMember() member: ActingMember, @Param('recordId') recordId: string): Promise<AuditRecord> {
    return this.reader.one(member.workspaceId, recordId);
  }
}
