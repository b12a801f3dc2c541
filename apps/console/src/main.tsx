import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Boundary } from '@holdpoint/ui'
import { App } from './app.tsx'
import { cannotBeShown } from './parts.tsx'
import { showTheme } from './preferences.ts'
import { startSession, showStartError } from './session.ts'
import './style.css'

showTheme()
startSession().catch(showStartError)
const place = document.getElementById('app')
if (place)
  createRoot(place).render(
    <StrictMode>
      <Boundary fallback={cannotBeShown}>
        <App />
      </Boundary>
    </StrictMode>,
  )
