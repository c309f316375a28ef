import type { LimitUse } from '#contracts';
import { Stack, Text } from '@mantine/core';
import { LimitBar } from '../../components/limit-bar/limit-bar.js';
import { limitMessages } from '../../components/limit-bar/messages.js';
import { Countdown } from '../../components/time.js';
import { messages } from './messages.js';

/** What the agent has left of each limit that matches. */
export function LimitsLeft({ limits, hasAgent }: { limits: readonly LimitUse[]; hasAgent: boolean }) {
  return (
    <Stack gap="sm" maw={520}>
      {limits.map(({ ruleId, rule, used, count, adds, resetsAt }) => (
        <div key={ruleId}>
          <LimitBar
            label={
              <>
                <span translate="no">{rule}</span>{' '}
                <Text span size="sm" c="dimmed">
                  <Countdown until={resetsAt} words={limitMessages.resets} calm />
                </Text>
              </>
            }
            used={used}
            count={count}
          />
          {/* Without a sum, each request counts 1. */}
          {adds !== 1 && (
            <Text size="sm" mt={4}>
              {adds === null ? messages.limitUndecided : messages.limitAdds(adds)}
            </Text>
          )}
        </div>
      ))}
      {!hasAgent && (
        <Text size="sm" c="dimmed">
          {messages.limitsNeedAgent}
        </Text>
      )}
    </Stack>
  );
}
