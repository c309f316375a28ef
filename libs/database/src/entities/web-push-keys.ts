import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The one key pair that identifies the gateway to push services. */
@Entity('web_push_keys')
export class WebPushKeysEntity {
  /** Always 1. */
  @PrimaryColumn('integer')
  id: number;

  @Column('text')
  publicKey: string;

  @Column('text')
  encryptedPrivateKey: string;

  @Column('timestamptz')
  createdAt: Date;
}
