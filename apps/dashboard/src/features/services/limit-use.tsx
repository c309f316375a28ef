import type { RuleLimit } from '#contracts';
import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { LimitBar } from '../../components/limit-bar/limit-bar.js';
import { limitMessages } from '../../components/limit-bar/messages.js';
import { ThingLink } from '../../components/thing-link.js';
import { Countdown } from '../../components/time.js';
import { limitsQuery } from './api.js';

/** The gateway lists at most this many. */
const AGENTS_SHOWN = 10;

/** What each agent has used of a limit in its current window, and when the next window begins. */
export function LimitUse({ serviceId, ruleId, limit }: { serviceId: number; ruleId: number; limit: RuleLimit }) {
  const { data } = useQuery(limitsQuery(serviceId));
  const use = data?.find((each) => each.ruleId === ruleId);
  if (!use) return null;
  const { agents, resetsAt } = use;
  return (
    <Stack gap={6} mt={8} maw={520}>
      <Group gap="2px 12px" fz="sm" c="dimmed">
        <span>{agents.length === 0 ? limitMessages.none[limit.per] : limitMessages.now[limit.per]}</span>
        {agents.length > 0 && <Countdown until={resetsAt} words={limitMessages.resets} calm />}
      </Group>
      {agents.length > 0 && (
        <Stack component="ul" gap={8} className="plain-list">
          {agents.map(({ id, name, used }) => (
            <li key={id}>
              <LimitBar
                label={
                  <ThingLink kind="agents" id={id}>
                    {name}
                  </ThingLink>
                }
                used={used}
                count={limit.count}
              />
            </li>
          ))}
        </Stack>
      )}
      {agents.length >= AGENTS_SHOWN && (
        <Text size="sm" c="dimmed">
          {limitMessages.most(AGENTS_SHOWN)}
        </Text>
      )}
    </Stack>
  );
}
