import { sharedMessages } from '../../lib/messages.js';

export const DECISION_ID = 'decision';

/** Takes the keyboard past the other rows and the request. */
export const SkipToDecision = () => (
  <a href={`#${DECISION_ID}`} className="skip">
    {sharedMessages.nav.skipToDecision}
  </a>
);
