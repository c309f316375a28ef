import { useEffect, useRef, useState } from 'react';
import { announce } from '../../lib/announce.js';
import { messages } from './messages.js';
import { STEADY_MS } from './steady.js';

const ARMED_MS = 5000;

/**
 * A confirmation for dangerous actions. The first press arms the button for five seconds and shows the effect. The
 * second press performs it. A double click counts as one press.
 * @param subject what is confirmed. The second press must be about the same as the first
 */
export function useTwoStep(
  needed: boolean,
  headline: string,
  run: () => void,
  subject = headline,
): { armed: boolean; press: () => void } {
  const [armedFor, setArmedFor] = useState<string | null>(null);
  const armed = armedFor === subject;
  const armedAt = useRef(0);
  useEffect(() => {
    if (!armed) return;
    const timer = setTimeout(() => {
      setArmedFor(null);
      announce(messages.decide.disarmed);
    }, ARMED_MS);
    return () => clearTimeout(timer);
  }, [armed]);

  function press() {
    if (needed && !armed) {
      armedAt.current = performance.now();
      setArmedFor(subject);
      announce(messages.decide.armed(headline));
    } else if (!needed || performance.now() - armedAt.current >= STEADY_MS) {
      setArmedFor(null);
      run();
    }
  }
  return { armed, press };
}
