/** The first screen: the tour of the demo, or the first steps with your own agents. */
import { useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useClient, useWatched } from '@holdpoint/react'
import { Button } from '@holdpoint/ui'
import { hasTour } from '../has-tour.ts'
import { addressOf, Empty, Screen, TextLink, ErrorNotice } from '../parts.tsx'
import { useBy } from '../preferences.ts'
import { useSelfName } from '../space/self.ts'
import { tour, TOUR_AGENT, TOUR_SPACE, type TourStop } from '../tour.ts'

export function StartScreen(): ReactNode {
  const { value, loading, error } = useWatched('agents', (client, signal) =>
    client.agents.list({ limit: 200 }, { signal }),
  )
  const agents = value?.items ?? []
  return (
    <Screen
      title="Tool calls that wait for you"
      note={`When an agent needs your approval or an answer, its tool call waits here until you respond, even if the server restarts.${hasTour ? ' Try it: each button sends a message to an agent.' : ''}`}
    >
      {error && <ErrorNotice error={error} />}
      {hasTour && <Tour />}
      {!loading && !hasTour && !error && (
        <Empty title={agents.length === 0 ? 'There are no agents yet' : 'Your agents are ready'}>
          {agents.length === 0 ? (
            <>
              Export <code className="font-mono">agents</code> from the module in{' '}
              <code className="font-mono">HOLDPOINT_APP</code>.
            </>
          ) : (
            <TextLink to="/conversations">Start a conversation</TextLink>
          )}
        </Empty>
      )}
    </Screen>
  )
}

function Tour(): ReactNode {
  return (
    <>
      <ol className="grid gap-px overflow-hidden rounded-lg border border-border bg-border sm:grid-cols-2">
        {tour.map((stop, index) => (
          <Stop key={stop.say} stop={stop} number={index + 1} />
        ))}
        <li className="grid content-start gap-1.5 bg-card px-5 py-4">
          <h2 className="flex gap-2.5 font-medium">
            <Number>{tour.length + 1}</Number> Kill the server
          </h2>
          <p className="text-sm text-muted-foreground">
            Leave an e-mail waiting for approval, and end the server with the <code className="font-mono">kill -9</code>{' '}
            command that the terminal shows. Start it again with <code className="font-mono">npm start</code> and
            approve. The conversation continues, and the e-mail is sent once.
          </p>
        </li>
      </ol>
      <p className="text-sm text-muted-foreground">
        The <TextLink to={addressOf.space(TOUR_SPACE)}>front desk</TextLink> is a space with two agents. The calls that
        wait for you are under <TextLink to="/holds">Holds</TextLink>. The timeline of each{' '}
        <TextLink to="/conversations">conversation</TextLink> shows its steps on a time scale.
      </p>
    </>
  )
}

function Stop({
  stop: { title, say, about, inSpace },
  number,
}: {
  readonly stop: TourStop
  readonly number: number
}): ReactNode {
  const client = useClient()
  const [, go] = useLocation()
  const [problem, setProblem] = useState<Error>()
  const by = useBy()
  const self = useSelfName()
  const post = async (): Promise<void> => {
    const from = { kind: 'human' as const, id: self }
    let answer = await client.spaces.post(TOUR_SPACE, say, { from })
    // The demo's space has the member `you`. A person who set another name joins under that name.
    if (!answer.ok && answer.refusal === 'not-a-member') {
      await client.spaces.join(TOUR_SPACE, from)
      answer = await client.spaces.post(TOUR_SPACE, say, { from })
    }
    if (!answer.ok) throw new Error(answer.message)
    go(addressOf.space(TOUR_SPACE))
  }
  const begin = async (): Promise<void> => {
    const { id } = await client.conversations.create({ agent: TOUR_AGENT })
    await client.conversations.send(id, say, { agent: TOUR_AGENT, ...(by !== undefined && { by }) })
    go(addressOf.conversation(id))
  }
  return (
    <li className="grid content-start gap-1.5 bg-card px-5 py-4">
      <h2 className="flex gap-2.5 font-medium">
        <Number>{number}</Number> {title}
      </h2>
      <p className="text-sm text-muted-foreground">{about}</p>
      <Button
        small
        className="mt-1 justify-self-start"
        onClick={() => void (inSpace ? post() : begin()).catch(setProblem)}
      >
        “{say}”
      </Button>
      {problem && <ErrorNotice error={problem} />}
    </li>
  )
}

function Number({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <span aria-hidden className="font-mono text-sm text-muted-foreground">
      {children}
    </span>
  )
}
