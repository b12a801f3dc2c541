/** An autonomous agent: its status, inbox, goals, memories and plans. */
import { useState, type ReactNode } from 'react'
import type { InboxEvent, AutonomousAgentBody, Plan } from '@holdpoint/client'
import { useClient, useWatched } from '@holdpoint/react'
import { Ago, Button, JsonValue, ShownText, spanOf, useNow } from '@holdpoint/ui'
import { AgentHeader } from '../agent-header.tsx'
import { addressOf, Empty, INPUT, Screen, Status, TextLink, ErrorNotice } from '../parts.tsx'

export function AgentLifeScreen({ name }: { readonly name: string }): ReactNode {
  const { value, loading, error, refresh } = useWatched(`life ${name}`, async (client, signal) => ({
    life: await client.agents.life(name, { signal }),
  }))
  const life = value?.life
  return (
    <Screen title={name} wide actions={<AgentHeader name={name} here="life" />}>
      {error && <ErrorNotice error={error} />}
      {!loading && !error && !life && (
        <Empty title="This agent does not exist">
          <TextLink to="/agents">All agents</TextLink>
        </Empty>
      )}
      {life && (
        <>
          <CurrentState life={life} />
          <Inbox life={life} />
          <Plans name={name} plans={life.plans} onChange={refresh} />
          <div className="grid gap-5 md:grid-cols-2">
            <Notes title="Goals" notes={life.goals} none="None. The agent sets its goals with the tool set_goals." />
            <Notes
              title="Memories"
              notes={life.memories}
              none="None. The agent saves memories with the tool set_memories."
            />
          </div>
        </>
      )}
    </Screen>
  )
}

function CurrentState({
  life: { status, space, conversationId, waiting },
}: {
  readonly life: AutonomousAgentBody
}): ReactNode {
  return (
    <p className="flex flex-wrap items-center gap-x-5 gap-y-1 text-sm">
      {status === 'asleep' ? (
        <span className="text-muted-foreground">
          asleep{waiting === 0 && ' until it is woken by a message in one of its spaces, a plan or a trigger'}
        </span>
      ) : (
        <Status status={status} />
      )}
      {space !== undefined && (
        <span>
          in <TextLink to={addressOf.space(space)}>{space}</TextLink>
        </span>
      )}
      <TextLink to={addressOf.conversation(conversationId)}>Conversation of this agent</TextLink>
      <TextLink to={addressOf.timeline(conversationId)}>Timeline</TextLink>
    </p>
  )
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <section aria-label={title} className="grid content-start gap-2">
      <h2 className="text-base font-semibold">{title}</h2>
      {children}
    </section>
  )
}

const LIST = 'divide-y divide-border rounded-lg border border-border bg-card text-sm'

function Inbox({ life: { inbox, waiting } }: { readonly life: AutonomousAgentBody }): ReactNode {
  return (
    <Section title="Inbox">
      {inbox.length === 0 ? (
        <p className="text-sm text-muted-foreground">
          Empty. Messages and events that arrive while the agent works wait here for its next turn.
        </p>
      ) : (
        <ol className={LIST}>
          {inbox.map((item, index) => (
            <li key={item.kind === 'event' ? item.id : index} className="grid grid-cols-1 gap-1 px-4 py-2">
              {item.kind === 'event' && <InboxEventLine event={item.event} at={item.at} />}
              {item.kind === 'answer' && (
                <span>
                  a late answer to <code className="font-mono">{item.name}</code>
                </span>
              )}
              {item.kind === 'message' && (
                <span>a message{item.message.by !== undefined && ` from ${item.message.by}`}</span>
              )}
            </li>
          ))}
        </ol>
      )}
      {waiting > inbox.length && <p className="text-xs text-muted-foreground">… and {waiting - inbox.length} more.</p>}
    </Section>
  )
}

function InboxEventLine({ event, at }: { readonly event: InboxEvent; readonly at: number }): ReactNode {
  const when = (
    <span className="ms-auto shrink-0 text-xs text-muted-foreground">
      <Ago at={at} />
    </span>
  )
  switch (event.type) {
    case 'space.message':
      return (
        <span className="flex gap-2">
          <span className="min-w-0 truncate">
            <b className="font-medium">
              <ShownText text={event.from.id} />
            </b>{' '}
            in <TextLink to={addressOf.space(event.space)}>{event.name}</TextLink>: <ShownText text={event.text} />
          </span>
          {when}
        </span>
      )
    case 'plan.fired':
      return (
        <span className="flex gap-2">
          <span className="min-w-0 truncate">
            a plan is due: <ShownText text={event.what} />
          </span>
          {when}
        </span>
      )
    case 'trigger':
      return (
        <>
          <span className="flex gap-2">
            <span>
              trigger <code className="font-mono">{event.name}</code>
              {event.by !== undefined && ` from ${event.by}`}
            </span>
            {when}
          </span>
          <JsonValue value={event.data} />
        </>
      )
  }
}

function Notes({
  title,
  notes,
  none,
}: {
  readonly title: string
  readonly notes: AutonomousAgentBody['goals']
  readonly none: string
}): ReactNode {
  return (
    <Section title={title}>
      {notes.length === 0 ? (
        <p className="text-sm text-muted-foreground">{none}</p>
      ) : (
        <ul className={LIST}>
          {notes.map(({ id, text }) => (
            <li key={id} dir="auto" className="px-4 py-2 [overflow-wrap:anywhere]">
              <ShownText text={text} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

function Plans({
  name,
  plans,
  onChange,
}: {
  readonly name: string
  readonly plans: readonly Plan[]
  readonly onChange: () => void
}): ReactNode {
  const client = useClient()
  const [problem, setProblem] = useState<Error>()
  const change = async (asking: Promise<unknown>): Promise<void> => {
    setProblem(undefined)
    await asking.catch(setProblem)
    onChange()
  }
  return (
    <Section title="Plans">
      {plans.length === 0 ? (
        <p className="text-sm text-muted-foreground">
          None. The agent makes plans with the tool set_plans, or you add one here.
        </p>
      ) : (
        <ul className={LIST}>
          {plans.map((plan) => (
            <li key={plan.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
              <span dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
                <ShownText text={plan.what} />
              </span>
              <span className="ms-auto text-xs text-muted-foreground">
                {plan.cron && (
                  <>
                    <code className="font-mono">{plan.cron.line}</code> in {plan.cron.timeZone} ·{' '}
                  </>
                )}
                <NextTime at={plan.nextAt} />
              </span>
              <Button
                small
                look="destructive"
                aria-label={`Cancel: ${plan.what}`}
                onClick={() => void change(client.agents.removePlan(name, plan.id))}
              >
                Cancel
              </Button>
            </li>
          ))}
        </ul>
      )}
      <NewPlan onMake={(plan) => change(client.agents.setPlan(name, plan))} />
      {problem && <ErrorNotice error={problem} />}
    </Section>
  )
}

function NextTime({ at }: { readonly at: number }): ReactNode {
  const left = at - useNow()
  const date = new Date(at)
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()} className="tabular-nums">
      {left > 0 ? `in ${spanOf(left)}` : 'now'}
    </time>
  )
}

const WAYS = [
  ['runAfter', 'after', '10 minutes'],
  ['scheduledAt', 'at', '2030-01-31T09:00:00Z'],
  ['cron', 'cron', '0 9 * * 1-5'],
] as const

type Way = (typeof WAYS)[number][0]

function NewPlan({
  onMake,
}: {
  readonly onMake: (plan: Parameters<ReturnType<typeof useClient>['agents']['setPlan']>[1]) => Promise<void>
}): ReactNode {
  const [what, setWhat] = useState('')
  const [way, setWay] = useState<Way>('runAfter')
  const [when, setWhen] = useState('')
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const make = async (): Promise<void> => {
    await onMake({ what: what.trim(), [way]: when.trim(), ...(way === 'cron' && { timeZone }) })
    setWhat('')
  }
  return (
    <form
      className="flex flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        void make()
      }}
    >
      <input
        aria-label="What the agent should do"
        className={`${INPUT} w-56 grow`}
        placeholder="What the agent should do"
        value={what}
        onChange={(event) => setWhat(event.target.value)}
      />
      <select
        aria-label="Type of schedule"
        className={INPUT}
        value={way}
        onChange={(event) => setWay(event.target.value as Way)}
      >
        {WAYS.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
      <input
        aria-label="When"
        className={`${INPUT} w-52 font-mono`}
        placeholder={WAYS.find(([each]) => each === way)?.[2]}
        value={when}
        onChange={(event) => setWhen(event.target.value)}
      />
      <Button type="submit" disabled={what.trim() === '' || when.trim() === ''}>
        Add plan
      </Button>
    </form>
  )
}
