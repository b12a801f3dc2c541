import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { showTheme } from './preferences.ts'
import { begin } from './session.ts'
import './style.css'

showTheme()
void begin()
const place = document.getElementById('app')
if (place)
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
