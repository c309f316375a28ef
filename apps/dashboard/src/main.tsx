import './mantine.css';
import './app/global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { preload } from './app/routes.js';
import { startKeyboard } from './lib/keyboard.js';
import { startLive } from './lib/live.js';
import { sessionState, startSession } from './lib/session.js';

// Before anything is drawn, so that the page's code and the session are on their way at the same time. Who draws, hears of a failure.
startSession().catch(() => {});
preload(sessionState() === 'ended' ? '/login' : location.pathname);
startKeyboard();
startLive();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
