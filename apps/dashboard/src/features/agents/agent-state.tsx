import type { Agent } from '#contracts';
import { Chip } from '../../components/chip.js';
import { useNow } from '../../lib/clock.js';
import { duration } from '../../lib/format.js';
import { messages } from './messages.js';

/** A program needs a few days to get a new key. */
const NOTICE_SECONDS = 7 * 86_400;

/**
 * Whether the agent is revoked, and whether its key has expired or soon will. Renders nothing if there is no problem.
 */
export function AgentState({ agent }: { agent: Agent }) {
  const { isActive, keyExpiresAt } = agent;
  const leftMs = (now: number) => (keyExpiresAt === null ? Infinity : Date.parse(keyExpiresAt) - now);
  const isOver = useNow((now) => leftMs(now) <= 0);
  const left = useNow((now) => (leftMs(now) <= NOTICE_SECONDS * 1000 ? duration(leftMs(now) / 1000) : ''));
  if (!isActive) return <Chip tone="bad">{messages.revoked}</Chip>;
  if (isOver) return <Chip tone="bad">{messages.keyExpired}</Chip>;
  return left !== '' && <Chip tone="warning">{messages.keyExpires(left)}</Chip>;
}
