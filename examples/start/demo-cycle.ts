/**
 * What the demo model does in a cycle of an autonomous agent, by the agent and by the inbox item that woke it. Two agents
 * share a space. Each handles its own messages and skips those for the other.
 */
import type { ModelRequest } from 'holdpoint'
import { STORY } from './story.ts'

/** The space that `npm start` makes. */
export const FRONT_DESK = 'front-desk'

export interface Call {
  readonly name: string
  readonly input: object
}

interface Woken {
  readonly inbox: 'space.message' | 'plan.fired' | 'trigger'
  readonly space?: string
  readonly from?: { readonly kind: 'human' | 'agent'; readonly id: string }
  readonly text?: string
  readonly what?: string
}

interface Part {
  readonly agent: string
  readonly from: 'human' | 'agent' | 'any'
  readonly hears: RegExp
  /** Calls before the message. */
  readonly does?: readonly Call[]
  /** Without it, the message is about the results of the calls. */
  readonly says?: string
}

const PLAN_SECONDS = 20

const PARTS: readonly Part[] = [
  {
    agent: 'desk',
    from: 'human',
    hears: /launch/i,
    says: '@books, please draw the sales. I write to Ada as soon as I have them.',
  },
  {
    agent: 'desk',
    from: 'agent',
    hears: /third quarter/i,
    does: [
      {
        name: 'email.send',
        input: {
          to: 'ada@example.org',
          subject: 'The launch',
          body: 'Dear Ada,\n\nthe third quarter was the best. We are ready: https://reports.example.org/launch',
        },
      },
    ],
  },
  {
    agent: 'desk',
    from: 'human',
    hears: /mail|write to/i,
    does: [
      { name: 'email.send', input: { to: 'ada@example.org', subject: 'A note', body: 'The people here say hello.' } },
    ],
  },
  {
    agent: 'desk',
    from: 'human',
    hears: /budget|money/i,
    does: [{ name: 'budget.ask', input: { question: 'How much may the launch cost?' } }],
  },
  {
    agent: 'desk',
    from: 'human',
    hears: /remind|later|seconds|minute/i,
    does: [
      {
        name: 'set_plans',
        input: { plans: [{ what: 'Remind everybody to stretch', runAfter: `${PLAN_SECONDS} seconds` }] },
      },
      { name: 'set_goals', input: { goals: [{ id: 'stretch', text: 'Everybody here stretches now and then' }] } },
    ],
    says: `I will, in ${PLAN_SECONDS} seconds. Until then I sleep; the plan is on my page.`,
  },
  {
    agent: 'books',
    from: 'any',
    hears: /chart|draw/i,
    does: [
      {
        name: 'chart.show',
        input: {
          title: 'Sales by quarter',
          bars: [
            { label: 'Q1', value: 31 },
            { label: 'Q2', value: 42 },
            { label: 'Q3', value: 58 },
            { label: 'Q4', value: 47 },
          ],
        },
      },
      { name: 'set_memories', input: { memories: [{ id: 'best', text: 'The third quarter was the best' }] } },
    ],
    says: 'There it is. The third quarter was the best.',
  },
  { agent: 'desk', from: 'human', hears: /time ?zone/i, does: [{ name: 'browser.time_zone', input: {} }] },
  { agent: 'desk', from: 'human', hears: /story/i, says: STORY },
  {
    agent: 'desk',
    from: 'human',
    hears: /hello|hi\b|help|\?/i,
    says: 'Say **launch** to see us work together, or **remind us** to make me plan something.',
  },
]

/** The calls of the next step; none when the cycle is over; undefined if the prompt is not a cycle. */
export function nextCalls(
  prompt: ModelRequest['prompt'],
  resultsInWords: (results: Extract<ModelRequest['prompt'][number], { readonly role: 'tool' }>['results']) => string,
): readonly Call[] | undefined {
  const at = prompt.findLastIndex(({ role }) => role === 'user')
  const woken = wokenBy(prompt[at])
  if (woken.length === 0) return undefined
  const step = prompt.slice(at + 1).filter(({ role }) => role === 'assistant').length
  const found = chosen(agentOf(prompt), woken)
  if (!found) return step === 0 ? [{ name: 'skip', input: {} }] : []
  const { space, does = [], says } = found
  const enter: Call = { name: 'enter_space', input: { space } }
  const say = (text: string): Call => ({ name: 'send_message', input: { text } })
  if (step === 0) return does.length > 0 || says === undefined ? [enter, ...does] : [enter, say(says)]
  if (step > 1 || does.length === 0) return []
  const last = prompt.at(-1)
  const ours = last?.role === 'tool' ? last.results.slice(1) : []
  return [say(says ?? resultsInWords(ours))]
}

function chosen(
  agent: string | undefined,
  woken: readonly Woken[],
): (Pick<Part, 'does' | 'says'> & { readonly space: string }) | undefined {
  for (const { inbox, space = FRONT_DESK, from, text = '', what = '' } of woken.toReversed()) {
    if (inbox === 'plan.fired') return { space, says: `It is time: ${what.toLowerCase()}!` }
    const part = PARTS.find(
      (each) => each.agent === agent && (each.from === 'any' || each.from === from?.kind) && each.hears.test(text),
    )
    if (part) return { ...part, space }
  }
  return undefined
}

/** The runtime tells every autonomous agent its name. */
function agentOf(prompt: ModelRequest['prompt']): string | undefined {
  return /You are the agent \\?"([^"\\]+)/.exec(JSON.stringify(prompt))?.[1]
}

/** The inbox items in the prompt, one JSON text each. */
function wokenBy(message: ModelRequest['prompt'][number] | undefined): readonly Woken[] {
  if (message?.role !== 'user') return []
  return message.parts.flatMap((part) => {
    if (part.type !== 'text' || !part.text.startsWith('{"inbox":')) return []
    return [JSON.parse(part.text) as Woken]
  })
}
