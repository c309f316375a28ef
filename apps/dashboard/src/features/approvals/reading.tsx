import type { Action, ActionContext } from '#contracts';
import { Anchor } from '@mantine/core';
import { lazy, Suspense, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { BodyView, type BodyMode } from '../../components/request/body-view.js';
import { FormParts } from '../../components/request/form-parts.js';
import { firstHeader } from '../../components/request/request-texts.js';
import { RequestView } from '../../components/request/request-view.js';
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
import { Facts } from './facts.js';
import { messages } from './messages.js';

/** Loaded on demand, because few decisions need them. */
const ResultSection = lazy(() => import('./result.js'));

/** Below the request, so it may come after it. If its code can't be loaded, the action can still be decided. */
const Evidence = lazy(() => import('./evidence.js').catch(() => ({ default: PartNotLoaded })));

interface ReadingProps {
  action: Action;
  context: ActionContext | undefined;
  waiting: number;
  backTo: string;
  /** Content between the main facts and the details. */
  children: ReactNode;
}

/** The readable part of an action and its shortcuts. */
export function Reading({ action, context, waiting, backTo, children }: ReadingProps) {
  const [mode, setMode] = useState<BodyMode | null>(null);
  const [expanded, setExpanded] = useState(false);
  const body = useRef<HTMLDivElement>(null);
  const headline = spelledOut(action.headline);
  useEffect(() => pageTitle.set(headline), [headline]);

  const copyCurl = () =>
    void copyText(redactedCurl(action, context?.injectedHeaders ?? [])).then((copied) =>
      copied ? announce(messages.keys.copiedCurl) : showFailure(new Error(messages.keys.copyFailed)),
    );
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
    { keys: 'c', label: messages.keys.copy, run: copyCurl },
  ]);

  const short = useMemo(
    () => action.body !== null && !action.parts && isShort(action.body, action.bodyEncoding),
    [action],
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
      />
    </div>
  );
  return (
    <>
      <Facts action={action} context={context} waiting={waiting} backTo={backTo} body={short ? bodyView : null} />
      {children}
      {action.result && (
        <Suspense>
          <ResultSection action={action} />
        </Suspense>
      )}
      <Section
        title={messages.detail.request}
        actions={
          <Anchor component="button" type="button" size="sm" py="xs" onClick={copyCurl}>
            {messages.detail.copyCurl}
          </Anchor>
        }
      >
        <RequestView request={action} injectedHeaders={context?.injectedHeaders} body={!short && bodyView} />
      </Section>
      <Suspense>
        <Evidence action={action} context={context} />
      </Suspense>
    </>
  );
}
