/** What `npm start` serves: a desk with a tool for each way in which a call can be kept. The console has a tour of it. */
import { agent, type Agent } from 'holdpoint'
import { chosenModel } from './model.ts'
import { pretender } from './pretender.ts'
import { deskTools } from './tools.ts'

const { model, search } = await chosenModel(process.env)

export const agents: readonly Agent[] = [
  agent({
    name: 'desk',
    model,
    tools: deskTools(search),
    instructions: 'You work at a front desk. Use your tools, and be brief.',
    audit: true,
  }),
]
/** For agents that are made over HTTP. */
export const models = { pretender, default: model }
