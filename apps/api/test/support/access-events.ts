import { AccessListener, type AccessEvent } from '../../src/auth/access-events.js';
import type { TestApp } from './start-app.js';

/** Calls `tell` with every later log-in and similar event. They are recorded, too. */
export function listenToAccess({ app }: TestApp, tell: (event: AccessEvent) => void): void {
  const recorder = app.get(AccessListener);
  const record = recorder.onAccess.bind(recorder);
  recorder.onAccess = (event) => {
    tell(event);
    return record(event);
  };
}
