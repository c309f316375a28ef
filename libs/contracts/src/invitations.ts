import { ApiProperty } from '@nestjs/swagger';
import { Actor } from './actor.js';
import { AccountEmail, Choice, Text } from './fields.js';
import { INVITATION_MAIL_STATES, ROLES, type InvitationMailState, type Role } from './states.js';

const ROLE = { enum: ROLES, enumName: 'Role' } as const;

export class CreateInvitationRequest {
  /** Only an account with this e-mail can accept. */
  @AccountEmail()
  email: string;

  @Choice(ROLES, { name: 'Role' })
  role: Role;
}

/** The mail that brings an invitation. */
export class InvitationMail {
  @ApiProperty({ enum: INVITATION_MAIL_STATES, enumName: 'InvitationMailState' })
  state: InvitationMailState;

  /** Why the last attempt failed; null if none has failed. */
  @ApiProperty({ nullable: true, type: String, example: 'answered 550' })
  lastError: string | null;
}

export class Invitation {
  @ApiProperty()
  id: number;

  @ApiProperty({ format: 'email' })
  email: string;

  @ApiProperty(ROLE)
  role: Role;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;

  /** Who sent it. Null: the account does not exist any more. */
  @ApiProperty({ type: Actor, nullable: true })
  invitedBy: Actor | null;

  /** null: it is not mailed. Send the link yourself. */
  @ApiProperty({ type: InvitationMail, nullable: true })
  mail: InvitationMail | null;
}

export class CreatedInvitation extends Invitation {
  /**
   * The link to send to the person. Only this response contains it. Without `PUBLIC_URL` it is a path of the gateway.
   */
  @ApiProperty()
  url: string;
}

/** What the holder of a link learns before they have an account. */
export class OpenedInvitation {
  /** The name of the workspace. */
  @ApiProperty()
  workspace: string;

  @ApiProperty(ROLE)
  role: Role;

  /** Only an account with this e-mail can accept. */
  @ApiProperty({ format: 'email' })
  email: string;

  /** The name of the person who sent it. Null: the account does not exist any more. */
  @ApiProperty({ nullable: true, type: String })
  invitedBy: string | null;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;
}

export class InvitationTokenRequest {
  /** The part of the link after the `#`. */
  @Text({ max: 512 }, { min: 1 })
  token: string;
}
