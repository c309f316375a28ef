import { Paper, Stack, Text, UnstyledButton } from '@mantine/core';
import { useId, useMemo, useState, type ReactNode } from 'react';
import { sharedMessages } from '../../lib/messages.js';
import { readTarget } from '../../lib/request-target.js';
import { REDACTED } from '../../lib/curl.js';
import { Callout } from '../notices.js';
import { UntrustedText } from '../untrusted-text.js';
import { PairTable } from './pair-table.js';
import type { ShownRequest } from './request-texts.js';
import classes from './request.module.css';

/** Method, host and path as they will be sent, with the host emphasized. */
export function RequestLine({ method, targetUrl }: { method: string; targetUrl: string }) {
  const target = readTarget(targetUrl);
  return (
    <Text span size="sm" ff="monospace" className="anywhere" translate="no">
      <Text span inherit fw={700} c="var(--agw-accent)">
        {method}
      </Text>{' '}
      {target ? (
        <>
          {target.scheme !== 'https' && (
            <Text span inherit c="var(--agw-medium)">
              {target.scheme}://
            </Text>
          )}
          <b>{target.host}</b>
          <UntrustedText text={target.path} inline />
        </>
      ) : (
        <UntrustedText text={targetUrl} inline />
      )}
    </Text>
  );
}

/** A longer query is shown only as a table. */
const SHORT_QUERY = 200;

/** The query behind the line, if it is short. Whoever reads the line then reads all of the URL. */
export function ShortQuery({ targetUrl, partId }: QueryProps) {
  const query = readTarget(targetUrl)?.query ?? [];
  if (query.length === 0 || targetUrl.slice(targetUrl.indexOf('?')).length > SHORT_QUERY) return null;
  return (
    <Text span size="sm" ff="monospace" className="anywhere" translate="no">
      {query.map(({ name, value }, index) => (
        <span key={index} data-part={`${partId}.${index}`}>
          {index === 0 ? '?' : '&'}
          <UntrustedText text={name} inline />=<UntrustedText text={value} inline />
        </span>
      ))}
    </Text>
  );
}

interface QueryProps {
  targetUrl: string;
  /** The id of the query, if the page follows what was on the screen. */
  partId?: string;
}

interface Props {
  request: ShownRequest;
  /** Names of the headers that the gateway adds. The dashboard does not get their values. */
  injectedHeaders?: readonly string[];
  /** The body, unless the page shows it elsewhere. */
  body: ReactNode;
}

/** The query, headers and body of a request, complete and decoded, as the upstream will receive them. */
export function RequestView({ request, injectedHeaders = [], body }: Props) {
  const target = useMemo(() => readTarget(request.targetUrl), [request.targetUrl]);
  return (
    <Stack gap="sm" miw={0}>
      {target?.scheme === 'http' && <Callout tone="warning">{sharedMessages.request.plainHttp}</Callout>}
      <QueryView targetUrl={request.targetUrl} partId="q" />
      {body}
      <HeadersView headers={request.headers} injectedHeaders={injectedHeaders} />
    </Stack>
  );
}

/** The query in a box of its own. Nothing if there is none. */
export function QueryView(props: QueryProps) {
  if (!readTarget(props.targetUrl)?.query.length) return null;
  return (
    <Paper withBorder bg="var(--agw-sunken)" className={classes.box}>
      <QueryTable {...props} />
    </Paper>
  );
}

/** The query as a table. Nothing if there is none. */
export function QueryTable({ targetUrl, partId }: QueryProps) {
  const query = useMemo(() => readTarget(targetUrl)?.query ?? [], [targetUrl]);
  if (query.length === 0) return null;
  return (
    <div>
      <Text size="sm" c="dimmed" px="md" pt={6}>
        {sharedMessages.request.query}
      </Text>
      <PairTable pairs={query} caption={sharedMessages.request.query} partId={partId} />
    </div>
  );
}

/** Folded by default. The label has their number. */
export function HeadersView({
  headers,
  injectedHeaders = [],
}: {
  headers: ShownRequest['headers'];
  injectedHeaders?: readonly string[];
}) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const pairs = [
    ...Object.entries(headers).flatMap(([name, value]) => [value].flat().map((each) => ({ name, value: each }))),
    ...injectedHeaders.map((name) => ({ name, value: REDACTED, note: sharedMessages.request.injected })),
  ];
  if (pairs.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {sharedMessages.request.noHeaders}
      </Text>
    );
  return (
    <div>
      <UnstyledButton className={classes.fold} aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        {sharedMessages.request.headers(pairs.length)}
      </UnstyledButton>
      <div id={id} hidden={!open}>
        {open && <PairTable pairs={pairs} />}
      </div>
    </div>
  );
}
