import { ApiProperty } from '@nestjs/swagger';
import { Flag, PageLimit, Text } from './fields.js';
import { WORKSPACE_NAME_MAX } from './limits.js';

const ADMINISTRATOR_REASONS = ['first', 'ADMIN_EMAIL', 'named'] as const;

/** An administrator of the installation. */
export class Administrator {
  /** The id of the account. */
  @ApiProperty()
  id: number;

  @ApiProperty({ format: 'email' })
  email: string;

  @ApiProperty()
  name: string;

  /**
   * Why: it is the first account, it has the address of `ADMIN_EMAIL`, or an administrator named it. Only the last can
   * be undone.
   */
  @ApiProperty({ enum: ADMINISTRATOR_REASONS })
  reason: (typeof ADMINISTRATOR_REASONS)[number];
}

export class UpdateInstallationWorkspaceRequest {
  /** Whether services of the workspace may use `PRIVATE_TARGET_ALLOWLIST`. */
  @Flag()
  privateTargets: boolean;
}

/** A workspace, as administrators of the installation see it. */
export class InstallationWorkspace {
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;

  /** How many members it has. */
  @ApiProperty({ type: 'integer' })
  members: number;

  /** Whether its services may use `PRIVATE_TARGET_ALLOWLIST`. */
  @ApiProperty()
  privateTargets: boolean;
}

export class ListInstallationWorkspacesQuery {
  @PageLimit()
  limit?: number;

  /** `nextCursor` of the previous page. */
  @Text({ optional: true })
  cursor?: string;

  /** Only workspaces whose name contains this text. */
  @Text({ optional: true, max: WORKSPACE_NAME_MAX })
  q?: string;
}

/** The oldest first. */
export class InstallationWorkspacePage {
  @ApiProperty({ type: [InstallationWorkspace] })
  items: InstallationWorkspace[];

  /** null on the last page. */
  @ApiProperty({ nullable: true, type: String })
  nextCursor: string | null;
}
