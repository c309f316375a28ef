import type { Action, RequestAmount } from '#contracts';
import { NOTE_MAX, TARGET_URL_MAX } from '#contracts/limits';
import { HTTP_METHODS, type HttpMethod } from '#contracts/states';
import { NativeSelect, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { Callout } from '../../../components/notices.js';
import { readJson } from '../../../lib/json-tree.js';
import { BodyEditor } from './body-editor.js';
import { isFormBody, isTargetChanged, whyBodyIsFixed, type RevisionDraft } from './draft.js';
import { HeaderFields } from './header-fields.js';
import { messages } from './messages.js';

interface Props {
  action: Action;
  amounts: readonly RequestAmount[];
  typed: RevisionDraft;
  onChange: (typed: RevisionDraft) => void;
}

/**
 * The request that would be sent, as fields, and a note. The body comes first, because it is what people change. The rest
 * is folded, unless it is changed already or there is no body to change.
 */
export function RequestFields({ action, amounts, typed, onChange }: Props) {
  const set = (change: Partial<RevisionDraft>) => onChange({ ...typed, ...change });
  const fixed = whyBodyIsFixed(action);
  const brokenJson = typed.body !== '' && readJson(action.body ?? '') !== null && readJson(typed.body) === null;
  const [open] = useState(fixed !== null || typed.body === '' || isTargetChanged(action, typed));
  return (
    <>
      {fixed === null ? (
        <BodyEditor
          value={typed.body}
          amounts={amounts}
          isForm={isFormBody(action)}
          onChange={(body) => set({ body })}
          error={brokenJson && messages.brokenJson}
        />
      ) : (
        <Callout tone="info">{messages.fixed[fixed]}</Callout>
      )}
      <details open={open}>
        <summary>{messages.target}</summary>
        <TargetFields service={action.service.name} typed={typed} set={set} />
      </details>
      <Textarea
        label={messages.note}
        description={messages.noteHint}
        rows={2}
        maxLength={NOTE_MAX}
        value={typed.note}
        onChange={(event) => set({ note: event.currentTarget.value })}
      />
    </>
  );
}

interface TargetProps {
  /** The name of the service. */
  service: string;
  typed: RevisionDraft;
  set: (change: Partial<RevisionDraft>) => void;
}

function TargetFields({ service, typed, set }: TargetProps) {
  return (
    <Stack gap="lg" pt="sm">
      <NativeSelect
        label={messages.method}
        maw={160}
        data={[...HTTP_METHODS]}
        value={typed.method}
        onChange={(event) => set({ method: event.currentTarget.value as HttpMethod })}
      />
      <Textarea
        label={messages.url}
        description={messages.urlHint(service)}
        classNames={{ input: 'mono' }}
        autosize
        minRows={1}
        maxRows={6}
        maxLength={TARGET_URL_MAX}
        autoCapitalize="none"
        spellCheck={false}
        value={typed.targetUrl}
        // A URL may need several lines on a phone, but it contains no line breaks.
        onChange={(event) => set({ targetUrl: event.currentTarget.value.replaceAll('\n', '') })}
      />
      <HeaderFields headers={typed.headers} onChange={(headers) => set({ headers })} />
    </Stack>
  );
}
