import { Box, Group, Paper, SegmentedControl, Text } from '@mantine/core';
import { lazy, Suspense, useMemo, useState } from 'react';
import { textBlocks } from '../../lib/body.js';
import { bodyShape } from '../../lib/body-shape.js';
import { bytes as formatBytes } from '../../lib/format.js';
import { hasRepeatedKeys } from '../../lib/json-tree.js';
import { sharedMessages } from '../../lib/messages.js';
import { readPairs } from '../../lib/request-target.js';
import { CopyButton } from '../copy-button.js';
import { Callout } from '../notices.js';
import { UntrustedText } from '../untrusted-text.js';
import { Decoded } from './decoded.js';
import { JsonTree } from './json-tree.js';
import { PairTable } from './pair-table.js';
import classes from './request.module.css';

// The virtual list is larger than the rest of this file, and few bodies need it.
const LongText = lazy(() => import('./long-body.js').then((module) => ({ default: module.LongText })));
const BytesView = lazy(() => import('./bytes-view.js'));

export type BodyMode = 'tree' | 'form' | 'text' | 'hex';

interface Props {
  body: string;
  bodyEncoding?: 'base64';
  contentType: string;
  /** The view to show. The default is the richest one for this body and its type. */
  mode?: BodyMode | null;
  onMode?: (mode: BodyMode) => void;
  /** Opens all branches of the tree. */
  expanded?: boolean;
  /** The id of the body, if the page follows what was on the screen. */
  partId?: string;
  /** Only the beginning is known. It is not read as JSON or as a form, because it would look whole. */
  isCut?: boolean;
}

/** Longer texts are shown in a virtual list. */
const PLAIN_LIMIT = 20_000;

/** A body: JSON as a tree, a form as a table, text, or bytes. */
export function BodyView({
  body,
  bodyEncoding,
  contentType,
  mode,
  onMode,
  expanded = false,
  partId,
  isCut = false,
}: Props) {
  const { bytes, text, json, isForm, view } = useMemo(
    () => bodyShape(body, bodyEncoding, contentType, isCut),
    [body, bodyEncoding, contentType, isCut],
  );
  const repeated = useMemo(() => json !== null && hasRepeatedKeys(json), [json]);
  const modes: BodyMode[] = [
    ...(isForm ? (['form'] as const) : []),
    ...(json ? (['tree'] as const) : []),
    ...(text !== null ? (['text'] as const) : []),
    'hex',
  ];
  const [own, setOwn] = useState<BodyMode | null>(null);
  const wanted = mode ?? own;
  const shown = wanted && modes.includes(wanted) ? wanted : view;

  if (bytes.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {sharedMessages.request.emptyBody}
      </Text>
    );
  return (
    <Paper withBorder bg="var(--agw-sunken)" className={classes.box}>
      <Group justify="space-between" gap="6px 12px" py={5} ps="md" pe={6} fz="sm">
        <Text span inherit c="dimmed">
          {text === null ? sharedMessages.request.binary : contentType.split(';')[0] || sharedMessages.request.text} ·{' '}
          {isCut ? sharedMessages.request.firstBytes(formatBytes(bytes.length)) : formatBytes(bytes.length)}
        </Text>
        <Group gap={6} wrap="nowrap">
          <SegmentedControl
            aria-label={sharedMessages.request.view}
            value={shown}
            onChange={(next) => {
              setOwn(next);
              onMode?.(next);
            }}
            data={modes.map((each) => ({ value: each, label: sharedMessages.request[each] }))}
          />
          {text !== null && !isCut && <CopyButton text={text} variant="subtle" />}
        </Group>
      </Group>
      {isForm && json && <Callout tone="warning">{sharedMessages.request.twoReadings}</Callout>}
      {repeated && <Callout tone="warning">{sharedMessages.request.repeatedKeys}</Callout>}
      <Box mih={40} style={{ overflowX: 'auto' }}>
        {shown === 'tree' && <JsonTree key={String(expanded)} root={json!} expanded={expanded} partId={partId} />}
        {shown === 'form' && <PairTable pairs={readPairs(text!)} partId={partId} />}
        <Suspense>
          {shown === 'text' && <TextView text={text!} isFollowed={partId !== undefined} />}
          {shown === 'text' && !isCut && <Decoded text={text!} among={bytes} partId={partId && 't'} />}
          {shown === 'hex' && (
            <BytesView
              bytes={bytes}
              base64={text === null && !isCut ? body : null}
              contentType={contentType}
              isFollowed={partId !== undefined}
            />
          )}
        </Suspense>
      </Box>
    </Paper>
  );
}

function TextView({ text, isFollowed }: { text: string; isFollowed: boolean }) {
  if (text.length > PLAIN_LIMIT) return <LongText text={text} isFollowed={isFollowed} />;
  return (
    <pre className={classes.text}>
      {isFollowed ? (
        textBlocks(text).map((block) => (
          <span key={block.from} className={classes.block} data-from={block.from} data-to={block.to}>
            <UntrustedText text={block.text} />
          </span>
        ))
      ) : (
        <UntrustedText text={text} />
      )}
    </pre>
  );
}
