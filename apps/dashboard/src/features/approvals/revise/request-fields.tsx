import type { Action } from '#contracts';
import { NOTE_MAX, TARGET_URL_MAX } from '#contracts/limits';
import { HTTP_METHODS, type HttpMethod } from '#contracts/states';
import { NativeSelect, Textarea } from '@mantine/core';
import { Callout } from '../../../components/notices.js';
import { readJson } from '../../../lib/json-tree.js';
import { BodyEditor } from './body-editor.js';
import { whyBodyIsFixed, type RevisionDraft } from './draft.js';
import { HeaderFields } from './header-fields.js';
import { messages } from './messages.js';

interface Props {
  action: Action;
  typed: RevisionDraft;
  onChange: (typed: RevisionDraft) => void;
}

/** The request that would be sent, as fields, and a note. */
export function RequestFields({ action, typed, onChange }: Props) {
  const set = (change: Partial<RevisionDraft>) => onChange({ ...typed, ...change });
  const fixed = whyBodyIsFixed(action);
  const brokenJson = typed.body !== '' && readJson(action.body ?? '') !== null && readJson(typed.body) === null;
  return (
    <>
      <NativeSelect
        label={messages.method}
        maw={160}
        data={[...HTTP_METHODS]}
        value={typed.method}
        onChange={(event) => set({ method: event.currentTarget.value as HttpMethod })}
      />
      <Textarea
        label={messages.url}
        description={messages.urlHint(action.service.name)}
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
      {fixed === null ? (
        <BodyEditor value={typed.body} onChange={(body) => set({ body })} error={brokenJson && messages.brokenJson} />
      ) : (
        <Callout tone="info">{messages.fixed[fixed]}</Callout>
      )}
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
