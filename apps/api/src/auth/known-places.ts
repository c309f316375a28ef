import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import ipaddr from 'ipaddr.js';
import { DataSource } from 'typeorm';
import { deviceName } from '#contracts/device-name';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import type { RequestOrigin } from './request-origin.js';

const KEPT_DAYS = 180;
const KEPT_PLACES = 100;
const DAY_MS = 86_400_000;
/** As large as the networks within which providers move their customers (docs/adr/0061-known-places.md). */
const IPV4_BITS = 16;
const IPV6_BITS = 32;

/**
 * Keeps the newest place of each person. Without it, their next sign-in would count as the first one, and nobody is
 * notified of a first sign-in.
 */
const PURGE = `
  DELETE FROM known_places WHERE (user_id, device, network) IN (
    SELECT user_id, device, network FROM (
      SELECT user_id, device, network, last_seen_at,
        row_number() OVER (PARTITION BY user_id ORDER BY last_seen_at DESC, device, network) AS place
      FROM known_places
    ) p WHERE place > ${KEPT_PLACES} OR (place > 1 AND last_seen_at < $1) LIMIT 5000)`;

/** Where a sign-in came from, so coarse that a new version or a new address of the same device is not a new place. */
export function toPlace({ userAgent, address }: RequestOrigin): { device: string; network: string } {
  return { device: deviceName(userAgent) ?? 'Unknown device', network: toNetwork(address) };
}

function toNetwork(address: string | null): string {
  const [bare] = address?.split('%') ?? [''];
  if (ipaddr.IPv4.isValid(bare)) return toBlock(ipaddr.IPv4, bare, IPV4_BITS);
  if (ipaddr.IPv6.isValid(bare)) return toBlock(ipaddr.IPv6, bare, IPV6_BITS);
  return 'unknown';
}

const toBlock = (kind: typeof ipaddr.IPv4 | typeof ipaddr.IPv6, address: string, bits: number): string =>
  `${kind.networkAddressFromCIDR(`${address}/${bits}`).toString()}/${bits}`;

/** Forgets where people signed in long ago. Sessions add the places, and a trigger tells people of new ones. */
@Injectable()
export class KnownPlaces {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly background: BackgroundWork,
  ) {}

  @Cron(CronExpression.EVERY_HOUR)
  purge(): void {
    const before = new Date(this.clock.nowMs() - KEPT_DAYS * DAY_MS);
    this.background.run('places of old sign-ins', () => this.source.query(PURGE, [before]));
  }
}
