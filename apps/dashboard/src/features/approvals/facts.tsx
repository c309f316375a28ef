import type { Action, ActionContext, HoldingRule } from '#contracts';
import { Box, Group, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { requestSize, requestTexts, suspicionText } from '../../components/request/request-texts.js';
import { RequestLine, ShortQuery } from '../../components/request/request-view.js';
import { EffectWords } from '../../components/effects/effect-words.js';
import { Clamped } from '../../components/clamped.js';
import { Icon } from '../../components/icon.js';
import { Callout } from '../../components/notices.js';
import { RiskBadge } from '../../components/risk-badge.js';
import { StatusChip } from '../../components/status-chip.js';
import { Countdown } from '../../components/time.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { ThingLink } from '../../components/thing-link.js';
import { sharedMessages } from '../../lib/messages.js';
import { isStrong } from '../../lib/risk.js';
import { countSuspicions } from '../../lib/text-safety.js';
import classes from './facts.module.css';
import { messages } from './messages.js';
import { NoveltyLine } from './novelty.js';
import { Approvals, Different, HeldBy, isShared, Outcome, Repeats, Revises, SameThing, Unmentioned } from './parts.js';
import { Presence } from './presence.js';

/** The way to where the reader came from. */
export interface Back {
  to: string;
  text: string;
  /** What follows when there is nothing to decide. */
  done: string;
  /** Beside a list, only phones need it. */
  onDesk?: boolean;
}

interface Props {
  action: Action;
  context: ActionContext | undefined;
  back: Back;
  /** The body, if it is short enough to show here. */
  body: ReactNode;
}

/**
 * The five facts for a decision, in order: what happens, the risk, the agent and its intent, the request, whether the
 * agent still waits.
 */
export function Facts({ action, context, back, body }: Props) {
  const warning = suspicionText(countSuspicions([action.intent, action.headline, ...requestTexts(action)]));
  return (
    <Stack className={classes.facts} renderRoot={(root) => <header {...root} />}>
      <Group justify="space-between" wrap="nowrap" mih={28} fz="sm" c="dimmed" className={classes.top}>
        <UnstyledButton
          component={Link}
          to={back.to}
          hiddenFrom={back.onDesk ? undefined : 'md'}
          mih={44}
          my={-8}
          ms={-6}
          pe="sm"
          fz="sm"
          c="var(--mantine-color-anchor)"
        >
          <Group gap={2} mih={44} wrap="nowrap">
            <Icon name="back" size={18} />
            {back.text}
          </Group>
        </UnstyledButton>
        <Group gap="sm" ms="auto">
          {action.status !== 'PENDING' && <StatusChip status={action.status} isRevised={action.revised_as !== null} />}
          {action.status === 'PENDING' && <Countdown until={action.expires_at} />}
          {action.status === 'APPROVED' && action.approvalExpiresAt && (
            <Countdown until={action.approvalExpiresAt} words={sharedMessages.time.runWithin} />
          )}
        </Group>
      </Group>
      <div>
        <Title order={1} fz={22} lh={1.25} lts="-0.01em" pe={{ md: 170 }} tabIndex={-1} className="anywhere">
          <UntrustedText text={action.headline} inline />
        </Title>
        <Text component="div" mt={2} c="dimmed">
          <ThingLink kind="services" id={action.service.id}>
            {action.service.name}
          </ThingLink>{' '}
          · <UrlHost url={action.targetUrl} />
        </Text>
      </div>
      {action.status !== 'PENDING' && <Outcome action={action} />}
      <Risk action={action} rules={(action.status === 'PENDING' && context?.holdingRules) || []} />
      {context?.differences && context.differences.fields.length > 0 && (
        <Different differences={context.differences} amounts={context.amounts} />
      )}
      {isShared(action) && <Approvals action={action} />}
      {action.revises !== null && <Revises action={action} id={action.revises} />}
      {action.status === 'PENDING' && context?.sameThing && action.service.id !== null && (
        <SameThing found={context.sameThing} serviceId={action.service.id} />
      )}
      {action.repeats && <Repeats earlier={action.repeats} />}
      <div>
        <Text component="div" size="sm" c="dimmed">
          <ThingLink kind="agents" id={action.agent.id}>
            <b>{action.agent.name}</b>
          </ThingLink>{' '}
          {messages.detail.agentSays}
        </Text>
        <blockquote className={classes.intent}>
          <Clamped>
            <span>
              “<UntrustedText text={action.intent} prose />”
            </span>
          </Clamped>
        </blockquote>
        {action.effects.some(isStrong) && <Unmentioned action={action} />}
        <NoveltyLine action={action} context={context} />
      </div>
      {warning && <Callout tone="danger">{warning}</Callout>}
      <Stack gap={3} px="md" py={9} bdrs="md" bg="var(--agw-sunken)">
        <Clamped>
          <RequestLine method={action.method} targetUrl={action.targetUrl} />
          <ShortQuery targetUrl={action.targetUrl} partId="q" />
        </Clamped>
        {body ?? (
          <Text span size="sm" c="dimmed">
            {requestSize(action, context?.injectedHeaders ?? [])}
          </Text>
        )}
      </Stack>
      {action.status === 'PENDING' && <Presence action={action} />}
    </Stack>
  );
}

/** The reason stands beside the score and the effects, or under them where the screen is too narrow. */
function Risk({ action, rules }: { action: Action; rules: readonly HoldingRule[] }) {
  const unassessed = action.status === 'PENDING' ? messages.assessment[action.assessment.state] : null;
  // The rules say for themselves that they ask.
  const reason = rules.reduce(
    (text, { name }) => text.replace(`Risk rule "${name}" requires approval`, ''),
    action.risk_explanation,
  );
  return (
    <Group align="flex-start" gap="xs">
      <Group gap="2px 8px" pos="relative">
        <RiskBadge score={action.risk_score} />
        {unassessed !== null && <Text size="sm">{unassessed}</Text>}
        <EffectWords effects={action.effects} />
      </Group>
      <Box flex="1 1 16rem" miw={0}>
        {(reason.trim() || rules.length === 0) && (
          <Clamped>
            <UntrustedText text={reason || messages.detail.noExplanation} inline prose />
            {/* What a rule says begins with its name. The dot stays at the end of its line. */}
            {(action.risk_source !== 'rule' || !reason) && (
              <Text span size="sm" c="dimmed">
                {`\u00a0· ${sharedMessages.risk.sources[action.risk_source]}`}
              </Text>
            )}
          </Clamped>
        )}
        {rules.length > 0 && action.service.id !== null && <HeldBy rules={rules} serviceId={action.service.id} />}
      </Box>
    </Group>
  );
}

function UrlHost({ url }: { url: string }) {
  return (
    <span className="mono" translate="no">
      {URL.canParse(url) ? new URL(url).host : url}
    </span>
  );
}
