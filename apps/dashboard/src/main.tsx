import './mantine.css';
import './app/global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { preload } from './app/routes.js';
import { startKeyboard } from './lib/keyboard.js';
import { startLive } from './lib/live.js';
import { sessionState, startSession } from './lib/session.js';
import { followTranslation } from './lib/translated.js';
import { startLeaveGuard } from './lib/unsaved.js';

// Starts before the first render, so that the page's code and the session load at the same time. The components handle
// failures.
startSession().catch(() => {});
preload(sessionState() === 'ended' ? '/login' : location.pathname);
startKeyboard();
startLeaveGuard();
followTranslation();
startLive();
// Loads after the page, which has priority.
addEventListener('load', () => void import('./app/service-worker.js').catch(() => {}));

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
