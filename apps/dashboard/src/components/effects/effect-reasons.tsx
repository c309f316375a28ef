import type { RequestEffect } from '#contracts';
import { UntrustedText } from '../untrusted-text.js';
import { effectMessages } from './messages.js';
import { inOrder } from './told.js';

/** Every effect with its reason, which may quote the request and the API's description. */
export const EffectReasons = ({ effects }: { effects: readonly RequestEffect[] }) => (
  <ul className="plain-list">
    {inOrder(effects).map(({ effect, reason }) => (
      <li key={effect}>
        <b>{effectMessages.words[effect]}</b>: <UntrustedText text={reason} inline prose />
      </li>
    ))}
  </ul>
);
