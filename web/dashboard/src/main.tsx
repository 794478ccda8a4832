import './mantine.css';
import './style.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

const place = document.getElementById('page');
if (place) {
  try {
    sessionStorage.removeItem('lab-api-loads');
  } catch {
    // early.js could not store it either.
  }
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
