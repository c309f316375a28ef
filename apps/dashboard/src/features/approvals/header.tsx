import type { ActionCounts } from '#contracts';
import { Badge, Group, Text, Title, UnstyledButton } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { Link } from 'react-router';
import { announce } from '../../lib/announce.js';
import { useTabInView } from '../../lib/tab-in-view.js';
import { useMay } from '../../lib/workspace.js';
import { isWaiting, type InboxView, type Tab } from './filters.js';
import classes from './header.module.css';
import { messages } from './messages.js';

/** The title of the inbox with the number of waiting actions. */
export function Header({ counts, children }: { counts: ActionCounts | undefined; children: ReactNode }) {
  const decides = useMay('approver');
  const waiting = (decides ? counts?.waitingForMe : counts?.pending) ?? 0;
  return (
    <Group
      wrap="nowrap"
      align="baseline"
      gap="sm"
      mih={34}
      pt="md"
      pb="xs"
      ps="lg"
      pe="sm"
      renderRoot={(root) => <header {...root} />}
    >
      <Title order={1} fz={19} tabIndex={-1}>
        {messages.title}
      </Title>
      <Text span truncate size="sm" c="dimmed" flex={1} miw={0}>
        {waiting > 0 ? messages.waiting(waiting, decides) : counts && messages.none}
      </Text>
      <Group gap="xs" mih={30} wrap="nowrap" flex="none" style={{ alignSelf: 'center' }}>
        {children}
      </Group>
    </Group>
  );
}

/** Placed in the header, where it neither covers nor moves a row. */
export function Newcomers({ count, show }: { count: number; show: () => void }) {
  useEffect(() => announce(messages.showNewcomers(count)), [count]);
  return (
    <UnstyledButton
      className={classes.pill}
      pos="relative"
      mih={28}
      px="md"
      bdrs={14}
      c="var(--agw-on-accent)"
      bg="var(--agw-accent)"
      fz="sm"
      fw={600}
      aria-label={messages.showNewcomers(count)}
      onClick={show}
    >
      {messages.newcomers(count)} ↓
    </UnstyledButton>
  );
}

/** How the waiting actions are ordered. */
export function OrderLine({ view: { tab, sort } }: { view: InboxView }) {
  if (!isWaiting(tab)) return null;
  return (
    <Text size="xs" c="dimmed" flex="none" px="lg" pb={6}>
      {sort === 'urgent' ? messages.filters.urgent : messages.filters.sorts[sort]}
    </Text>
  );
}

interface TabsProps {
  tab: Tab;
  counts: ActionCounts | undefined;
  onChange: () => void;
}

/** Links and not Mantine's Tabs, because each tab has a URL that opens in a new window. */
export function Tabs({ tab, counts, onChange }: TabsProps) {
  const decides = useMay('approver');
  const { pending = 0, waitingForMe = 0, approved = 0 } = counts ?? {};
  const others = pending - waitingForMe;
  const count: Record<Tab, number> = { all: pending, waiting: waitingForMe, others, approved, mine: 0 };
  const shown: Tab[] = decides ? ['waiting', 'others', 'approved', 'mine'] : ['all', 'approved'];
  // People who work alone see no tab for actions that wait for others.
  const items = shown.filter((each) => each !== 'others' || others > 0 || tab === 'others');
  // The counts arrive later and widen the tabs.
  const nav = useTabInView(`${tab} ${items.length} ${waitingForMe > 0} ${approved > 0}`);
  return (
    <nav ref={nav} className={`${classes.tabs} scroll-tabs`} aria-label={messages.tabs.label}>
      {items.map((item) => (
        <Link
          key={item}
          to={item === 'waiting' || item === 'all' ? '/approvals' : `/approvals?tab=${item}`}
          aria-current={item === tab || undefined}
          title={item === 'mine' ? messages.decidedByMe : undefined}
          onClick={onChange}
        >
          {messages.tabs[item]}
          {count[item] > 0 && <Badge size="sm">{count[item]}</Badge>}
        </Link>
      ))}
    </nav>
  );
}
