/** Where one begins: what there is to try, or what to do first. */
import { useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useClient, useWatched } from '@holdpoint/react'
import { Button } from '@holdpoint/ui'
import { hasTour } from '../has-tour.ts'
import { addressOf, Empty, Screen, TextLink, Trouble } from '../parts.tsx'
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
      title="A tool call is a durable promise"
      note={`When an agent wants to do something that needs you, its call waits here until you answer, whatever happens to the process in between.${hasTour ? ' Try it: each button says something to an agent.' : ''}`}
    >
      {error && <Trouble error={error} />}
      {hasTour && <Tour />}
      {!loading && !hasTour && !error && (
        <Empty title={agents.length === 0 ? 'There are no agents yet' : 'Your agents are ready'}>
          {agents.length === 0 ? (
            <>
              Export <code className="font-mono">agents</code> from the module in{' '}
              <code className="font-mono">HOLDPOINT_APP</code>.
            </>
          ) : (
            <TextLink to="/conversations">Begin a conversation</TextLink>
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
            <Number>{tour.length + 1}</Number> Kill it
          </h2>
          <p className="text-sm text-muted-foreground">
            Make an e-mail wait, and end the process: the terminal shows its <code className="font-mono">kill -9</code>.
            Start it again with <code className="font-mono">npm start</code>, and approve. It goes on where it was, and
            the e-mail goes out once.
          </p>
        </li>
      </ol>
      <p className="text-sm text-muted-foreground">
        The <TextLink to={addressOf.space(TOUR_SPACE)}>front desk</TextLink> is a space with two agents in it. What
        waits for you is under <TextLink to="/holds">Holds</TextLink>. How it came to it, to scale, is in the timeline
        of every <TextLink to="/conversations">conversation</TextLink>.
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
    let told = await client.spaces.post(TOUR_SPACE, say, { from })
    // Somebody who has set a name of their own is let in under it.
    if (!told.ok && told.refusal === 'not-a-member') {
      await client.spaces.join(TOUR_SPACE, from)
      told = await client.spaces.post(TOUR_SPACE, say, { from })
    }
    if (!told.ok) throw new Error(told.message)
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
      {problem && <Trouble error={problem} />}
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
