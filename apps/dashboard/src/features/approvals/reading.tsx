import type { Action, ActionContext } from '#contracts';
import { Anchor } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { BodyView, type BodyMode } from '../../components/request/body-view.js';
import { firstHeader } from '../../components/request/request-texts.js';
import { RequestView } from '../../components/request/request-view.js';
import { ValueNotes } from '../../components/request/value-note.js';
import { PartNotLoaded } from '../../components/notices.js';
import { Section } from '../../components/page.js';
import { announce } from '../../lib/announce.js';
import { isShort } from '../../lib/body.js';
import { copyText } from '../../lib/clipboard.js';
import { redactedCurl } from '../../lib/curl.js';
import { useShortcuts } from '../../lib/keyboard.js';
import { spelledOut } from '../../lib/text-safety.js';
import { pageTitle } from '../../lib/title.js';
import { showFailure } from '../../lib/toasts.js';
import { wholeQuery } from './api.js';
import { Facts, type Back } from './facts.js';
import { messages } from './messages.js';
import { FormParts, RestOfBody } from './parts.js';
import type { Rest } from './use-whole.js';

/** Loaded on demand, because few decisions need them. */
const ResultSection = lazy(() => import('./result.js'));

/** Below the request, so it may come after it. If its code can't be loaded, the action can still be decided. */
const Evidence = lazy(() => import('./evidence.js').catch(() => ({ default: PartNotLoaded })));

/** `/body/amount` is `b/amount`. */
const placeOf = (pointer: string): string => pointer.replace(/\/(.)\w+/, '$1');

interface ReadingProps {
  action: Action;
  context: ActionContext | undefined;
  back: Back;
  /** Loads the rest of long bodies. */
  rest: Rest;
  /** Content between the main facts and the details. */
  children: ReactNode;
}

/** The readable part of an action and its shortcuts. */
export function Reading({ action, context, back, rest, children }: ReadingProps) {
  const [mode, setMode] = useState<BodyMode | null>(null);
  const [expanded, setExpanded] = useState(false);
  const body = useRef<HTMLDivElement>(null);
  const queryClient = useQueryClient();
  const headline = spelledOut(action.headline);
  useEffect(() => pageTitle.set(headline), [headline]);

  const copyCurl = async () => {
    try {
      const whole = action.bodyTruncated ? await queryClient.fetchQuery(wholeQuery(action)) : action;
      const copied = await copyText(redactedCurl(whole, context?.injectedHeaders ?? []));
      if (copied) announce(messages.keys.copiedCurl);
      else showFailure(new Error(messages.keys.copyFailed));
    } catch (error) {
      showFailure(error);
    }
  };
  useShortcuts(messages.detail.region, [
    {
      keys: 'b',
      label: messages.keys.expand,
      run: () => {
        setExpanded(!expanded);
        body.current?.scrollIntoView({ block: 'nearest' });
      },
    },
    { keys: 'r', label: messages.keys.raw, run: () => setMode(mode === 'text' ? null : 'text') },
    { keys: 'c', label: messages.keys.copy, run: () => void copyCurl() },
  ]);

  const short = useMemo(
    () => action.body !== null && !action.parts && isShort(action.body, action.bodyEncoding),
    [action],
  );
  const sums = useMemo(
    () => new Map(context?.amounts.map(({ pointer, text }) => [placeOf(pointer), messages.detail.sum(text)])),
    [context],
  );
  const bodyView = action.body !== null && (
    <div ref={body}>
      {action.parts && <FormParts parts={action.parts} partId="b" />}
      <BodyView
        body={action.body}
        bodyEncoding={action.bodyEncoding}
        contentType={firstHeader(action.headers, 'content-type')}
        mode={mode}
        onMode={setMode}
        expanded={expanded}
        partId={action.parts ? undefined : 'b'}
        isCut={action.bodyTruncated}
      />
      {action.bodyTruncated && <RestOfBody bytes={action.bodyBytes} {...rest} />}
    </div>
  );
  return (
    <ValueNotes value={sums}>
      <Facts action={action} context={context} back={back} body={short ? bodyView : null} />
      {children}
      {action.result && (
        <Suspense>
          <ResultSection action={action} rest={rest} />
        </Suspense>
      )}
      <Section
        title={messages.detail.request}
        actions={
          <Anchor component="button" type="button" size="sm" py="xs" onClick={() => void copyCurl()}>
            {messages.detail.copyCurl}
          </Anchor>
        }
      >
        <RequestView request={action} injectedHeaders={context?.injectedHeaders} body={!short && bodyView} />
      </Section>
      <Suspense>
        <Evidence action={action} context={context} />
      </Suspense>
    </ValueNotes>
  );
}
