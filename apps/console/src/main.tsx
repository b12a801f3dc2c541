import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Boundary } from '@holdpoint/ui'
import { App } from './app.tsx'
import { cannotBeShown } from './parts.tsx'
import { showTheme } from './preferences.ts'
import { begin, couldNotBegin } from './session.ts'
import './style.css'

showTheme()
begin().catch(couldNotBegin)
const place = document.getElementById('app')
if (place)
  createRoot(place).render(
    <StrictMode>
      <Boundary fallback={cannotBeShown}>
        <App />
      </Boundary>
    </StrictMode>,
  )
