import type { RiskRule } from '#contracts';
import { Anchor, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { PartNotLoaded } from '../../components/notices.js';
import { RowsSkeleton } from '../../components/skeletons.js';
import { ruleVersionsMessages } from './rule-versions-messages.js';

const RuleVersions = lazy(() => import('./rule-versions.js').catch(() => ({ default: PartNotLoaded })));

/** Always the same function, so that it runs once. */
const takeFocus = (heading: HTMLElement | null) => heading?.focus();

interface Props {
  serviceId: number;
  rule: RiskRule;
  agentName: (id: number) => string;
  close: () => void;
}

/** The earlier versions of a rule, loaded when the user asks for them. */
export function FoldedVersions(props: Props) {
  const [open, setOpen] = useState(false);
  if (!open) {
    return (
      <Anchor component="button" type="button" size="sm" ta="start" py="xs" onClick={() => setOpen(true)}>
        {ruleVersionsMessages.title}
      </Anchor>
    );
  }
  return (
    <Stack gap="sm">
      {/* The button that had the focus is gone. */}
      <Text size="md" fw={600} tabIndex={-1} ref={takeFocus}>
        {ruleVersionsMessages.title}
      </Text>
      <Suspense fallback={<RowsSkeleton rows={2} />}>
        <RuleVersions {...props} />
      </Suspense>
    </Stack>
  );
}
