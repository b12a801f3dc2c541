/** The agents of `npm start`. The console has a tour of them. */
import type { Agent } from 'holdpoint'
import { deskAndBooks } from './agents.ts'
import { demoModel } from './demo-model.ts'
import { chosenModel } from './model.ts'

const chosen = await chosenModel(process.env)

export const agents: readonly Agent[] = deskAndBooks(chosen)
/** For agents that are made over HTTP. */
export const models = { scripted: demoModel, default: chosen.model }
