import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ActionEntity } from '#database';
import { Payload } from '../egress/payload.js';

/**
 * The bodies of held requests. Most are text and stored in the action; the others are read only where they are needed.
 */
@Injectable()
export class HeldBodies {
  constructor(private readonly source: DataSource) {}

  /** The body as it will be sent. */
  async of({ id, body, headers, bodyHash }: ActionEntity): Promise<Payload | null> {
    const content = bodyHash === null ? body : await this.bytes(id);
    return content === null ? null : Payload.ofAccepted(content, headers);
  }

  private async bytes(id: string): Promise<Buffer | null> {
    const action = await this.source.manager.findOne(ActionEntity, {
      where: { id },
      select: { id: true, bodyBytes: true },
    });
    return action?.bodyBytes ?? null;
  }
}
