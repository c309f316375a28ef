import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** A Slack user who decides as a member. */
@Entity('slack_links')
export class SlackLinkEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('integer')
  channelId: number;

  @Column('text')
  slackUserId: string;

  @Column('text')
  slackName: string;

  @Column('integer')
  workspaceId: number;

  @Column('integer')
  userId: number;

  @Column('timestamptz')
  linkedAt: Date;
}

/** A link that a Slack user asked for. */
@Entity('slack_link_requests')
export class SlackLinkRequestEntity {
  /** SHA-256 of the token, hex. */
  @PrimaryColumn('char', { length: 64 })
  tokenHash: string;

  @Column('integer')
  channelId: number;

  @Column('text')
  slackUserId: string;

  @Column('text')
  slackName: string;

  @Column('timestamptz')
  expiresAt: Date;
}
