import '@mantine/core/styles.layer.css';
import './app/global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { startKeyboard } from './lib/keyboard.js';
import { startLive } from './lib/live.js';

startKeyboard();
startLive();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
