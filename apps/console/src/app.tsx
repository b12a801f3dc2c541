import { lazy, Suspense, useMemo, type ReactNode } from 'react'
import { Route, Switch } from 'wouter'
import { connect } from '@holdpoint/client'
import { HoldpointProvider } from '@holdpoint/react'
import { ToolComponentsContext } from '@holdpoint/ui'
import { pageTools } from './page-tools.ts'
import { AgentScreen } from './screens/agent.tsx'
import { AgentsScreen } from './screens/agents.tsx'
import { ConversationScreen } from './screens/conversation.tsx'
import { ConversationsScreen } from './screens/conversations.tsx'
import { HoldsScreen } from './screens/holds.tsx'
import { KeyScreen } from './screens/key.tsx'
import { SettingsScreen } from './screens/settings.tsx'
import { SpaceScreen } from './screens/space.tsx'
import { SpacesScreen } from './screens/spaces.tsx'
import { StartScreen } from './screens/start.tsx'
import { WorkersScreen } from './screens/workers.tsx'
import { useSession, type Session } from './session.ts'
import { Shell } from './shell.tsx'
import { toolComponents } from './tool-components.tsx'
import { Empty } from './parts.tsx'

const TimelineScreen = lazy(async () => ({ default: (await import('./timeline/timeline-screen.tsx')).TimelineScreen }))

export function App(): ReactNode {
  const session = useSession()
  switch (session.state) {
    case 'looking':
      return null
    case 'asking':
      return <KeyScreen why={session.why} />
    case 'in':
      return <Inside session={session} />
  }
}

function Inside({ session }: { readonly session: Extract<Session, { readonly state: 'in' }> }): ReactNode {
  const client = useMemo(() => connect({ url: location.origin, token: session.token }), [session])
  return (
    <HoldpointProvider client={client} tools={pageTools}>
      <ToolComponentsContext value={toolComponents}>
        <Shell>
          <Suspense fallback={null}>
            <Screens />
          </Suspense>
        </Shell>
      </ToolComponentsContext>
    </HoldpointProvider>
  )
}

function Screens(): ReactNode {
  return (
    <Switch>
      <Route path="/">
        <StartScreen />
      </Route>
      <Route path="/holds">
        <HoldsScreen />
      </Route>
      <Route path="/holds/:conversationId/:callId">{(at) => <HoldsScreen at={at} />}</Route>
      <Route path="/conversations">
        <ConversationsScreen />
      </Route>
      <Route path="/conversations/:id">{({ id }) => <ConversationScreen key={id} id={id} />}</Route>
      <Route path="/conversations/:id/timeline">{({ id }) => <TimelineScreen key={id} id={id} />}</Route>
      <Route path="/spaces">
        <SpacesScreen />
      </Route>
      <Route path="/spaces/:id">{({ id }) => <SpaceScreen key={id} id={id} />}</Route>
      <Route path="/agents">
        <AgentsScreen />
      </Route>
      <Route path="/agents/:name">{({ name }) => <AgentScreen name={name} />}</Route>
      <Route path="/workers">
        <WorkersScreen />
      </Route>
      <Route path="/settings">
        <SettingsScreen />
      </Route>
      <Route>
        <Empty title="There is nothing at this address">Go on from the list on the side.</Empty>
      </Route>
    </Switch>
  )
}
