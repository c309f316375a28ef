import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

@Entity('agents')
export class AgentEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('integer')
  workspaceId: number;

  /** Who made it. Null: the account was deleted. */
  @Column('integer', { nullable: true })
  userId: number | null;

  @Column('text')
  name: string;

  /** SHA-256 of the agent key, hex. */
  @Column('char', { length: 64 })
  keyHash: string;

  @Column('char', { length: 12 })
  keyPrefix: string;

  @Column('boolean')
  isActive: boolean;

  /** `host` or `host:port` entries that its callbacks may go to. */
  @Column('text', { array: true, default: '{}' })
  callbackHosts: string[];

  @Column('timestamptz', { default: () => 'now()' })
  keyCreatedAt: Date;

  /** Who rotated the key last. null: nobody has. */
  @Column('integer', { nullable: true })
  keyRotatedBy: number | null;

  /** null: the key does not expire. */
  @Column('integer', { nullable: true })
  keyLifetimeDays: number | null;

  /** Client addresses and CIDR ranges that the key may come from; empty: all. */
  @Column('text', { array: true, default: '{}' })
  addresses: string[];

  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;
}

/** One service in the scope of an agent. */
@Entity('agent_services')
export class AgentServiceEntity {
  @PrimaryColumn('integer')
  agentId: number;

  @PrimaryColumn('integer')
  serviceId: number;
}

/** A rotated key that works until its grace time ends. */
@Entity('previous_agent_keys')
export class PreviousAgentKeyEntity {
  /** SHA-256 of the agent key, hex. */
  @PrimaryColumn('char', { length: 64 })
  keyHash: string;

  @Column('integer')
  agentId: number;

  @Column('char', { length: 12 })
  keyPrefix: string;

  /** Who rotated to this key. Null: it is the agent's first one, or the account was deleted. */
  @Column('integer', { nullable: true })
  rotatedBy: number | null;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;

  @Column('timestamptz')
  createdAt: Date;
}
