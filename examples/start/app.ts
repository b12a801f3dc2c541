/** What `npm start` serves. The console has a tour of it. */
import type { Agent } from 'holdpoint'
import { deskAndBooks } from './agents.ts'
import { chosenModel } from './model.ts'
import { pretender } from './pretender.ts'

const chosen = await chosenModel(process.env)

export const agents: readonly Agent[] = deskAndBooks(chosen)
/** For agents that are made over HTTP. */
export const models = { pretender, default: chosen.model }
