import type { RiskRule } from '#contracts';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Loaded } from '../../components/loaded.js';
import { RuleSentence } from '../../components/rule-sentence/rule-sentence.js';
import { Moment } from '../../components/time.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { restoreRule, ruleVersionsQuery } from './api.js';
import { CompareVersions } from './compare-versions.js';
import { changedFields } from './changed-fields.js';
import { ruleVersionsMessages } from './rule-versions-messages.js';

interface Props {
  serviceId: number;
  rule: RiskRule;
  agentName: (id: number) => string;
  close: () => void;
}

/** What a rule was after each change, the newest first, with a way back. */
export default function RuleVersions({ serviceId, rule, agentName, close }: Props) {
  const queryClient = useQueryClient();
  const query = useQuery(ruleVersionsQuery(serviceId, rule.id));
  const restore = useMutation({
    mutationFn: (version: number) => restoreRule(serviceId, rule.id, version),
    onSuccess: (_, version) => {
      showDone(ruleVersionsMessages.restored(version));
      close();
      return queryClient.invalidateQueries({ queryKey: queryKeys.services.rules(serviceId) });
    },
    onError: showFailure,
  });
  return (
    <Loaded query={query}>
      {(versions) => (
        <Stack gap="md">
          {versions.length > 1 && (
            <CompareVersions key={versions[0]!.version} versions={versions} agentName={agentName} />
          )}
          <Stack gap="md" className="plain-list" renderRoot={(root) => <ol {...root} />}>
            {versions.map(({ version, at, by, rule: then }, index) => (
              <li key={version}>
                <Group justify="space-between" gap="xs" wrap="nowrap">
                  <Text size="sm" c="dimmed">
                    <Moment at={at} />
                    {by && (
                      <>
                        {' '}
                        · <UntrustedText text={by.name} inline />
                      </>
                    )}{' '}
                    · {ruleVersionsMessages.changed(changedFields(versions[index + 1]?.rule, then))}
                  </Text>
                  {index > 0 && (
                    <Button
                      size="xs"
                      variant="default"
                      flex="none"
                      aria-label={ruleVersionsMessages.restoreLabel(version)}
                      loading={restore.isPending && restore.variables === version}
                      onClick={() => restore.mutate(version)}
                    >
                      {ruleVersionsMessages.restore}
                    </Button>
                  )}
                </Group>
                <RuleSentence rule={then} agentName={agentName} />
              </li>
            ))}
          </Stack>
        </Stack>
      )}
    </Loaded>
  );
}
