import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { WORKSPACE_ID_HEADER, type Role } from '#contracts';
import { ApiErrors } from '../platform/http/api-errors.js';

export const REQUIREMENT = 'requirement';

/** The requirement that the callers of an endpoint must meet. */
export interface Requirement {
  /** The least role in the workspace. */
  role: Role;
  /** Whether the path names the workspace, as `:id`. Otherwise the header does, or it is the person's oldest. */
  inPath: boolean;
  /** Whether the person must be logged in: personal access tokens are refused. */
  loggedIn: boolean;
}

/** Says which role in the workspace an endpoint needs. `MemberGuard` checks it (docs/reference/workspaces.md#roles). */
export const Requires = (
  role: Role,
  { inPath = false, loggedIn = false }: Partial<Omit<Requirement, 'role'>> = {},
): MethodDecorator =>
  applyDecorators(
    SetMetadata(REQUIREMENT, { role, inPath, loggedIn } satisfies Requirement),
    ApiErrors(400, 403, 404),
    ...(inPath ? [] : [ApiHeader(WORKSPACE_HEADER)]),
  );

const WORKSPACE_HEADER = {
  name: WORKSPACE_ID_HEADER,
  required: false,
  description: 'The workspace that the request is about. By default, the person’s oldest workspace',
  schema: { type: 'integer' },
};
