import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

@Entity('agents')
export class AgentEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('integer', { name: 'user_id' })
  userId: number;

  @Column('text')
  name: string;

  /** SHA-256 of the agent key, hex. */
  @Column('char', { name: 'key_hash', length: 64 })
  keyHash: string;

  @Column('char', { name: 'key_prefix', length: 12 })
  keyPrefix: string;

  @Column('boolean', { name: 'is_active' })
  isActive: boolean;

  /** `host` or `host:port` entries where its callbacks may go. */
  @Column('text', { name: 'callback_hosts', array: true, default: '{}' })
  callbackHosts: string[];

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
}

/** That an agent may reach a service. */
@Entity('agent_services')
export class AgentServiceEntity {
  @PrimaryColumn('integer', { name: 'agent_id' })
  agentId: number;

  @PrimaryColumn('integer', { name: 'service_id' })
  serviceId: number;
}
