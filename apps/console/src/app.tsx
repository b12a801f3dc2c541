import { lazy, Suspense, useMemo, type ComponentType, type ReactNode } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { connect, type SaveRule } from '@holdpoint/client'
import { HoldpointProvider, useClient } from '@holdpoint/react'
import { Boundary, SaveRuleContext, ToolComponentsContext } from '@holdpoint/ui'
import { pageTools } from './page-tools.ts'
import { AdminLogScreen } from './screens/admin-log.tsx'
import { AgentScreen } from './screens/agent.tsx'
import { AgentLifeScreen } from './screens/agent-life.tsx'
import { AgentsScreen } from './screens/agents.tsx'
import { ConversationScreen } from './screens/conversation.tsx'
import { ConversationsScreen } from './screens/conversations.tsx'
import { DeliveriesScreen } from './screens/deliveries.tsx'
import { EvidenceScreen } from './screens/evidence.tsx'
import { HealthScreen } from './screens/health.tsx'
import { HoldsScreen } from './screens/holds.tsx'
import { KeyOfferScreen } from './screens/key.tsx'
import { McpServersScreen } from './screens/mcp-servers.tsx'
import { ReplayScreen } from './screens/replay.tsx'
import { RulesScreen } from './screens/rules.tsx'
import { SearchScreen } from './screens/search.tsx'
import { SettingsScreen } from './screens/settings.tsx'
import { SignInScreen } from './screens/sign-in.tsx'
import { SpaceScreen } from './screens/space.tsx'
import { SpacesScreen } from './screens/spaces.tsx'
import { StartScreen } from './screens/start.tsx'
import { UsageScreen } from './screens/usage.tsx'
import { WorkersScreen } from './screens/workers.tsx'
import { fetchInSession, useSession, type Session } from './session.ts'
import { Shell } from './shell.tsx'
import { toolComponents } from './tool-components.tsx'
import { useBy } from './preferences.ts'
import { useCaller } from './use-me.ts'
import { cannotBeShown, Empty, Loading } from './parts.tsx'

const TimelineScreen = lazy(async () => ({ default: (await import('./timeline/timeline-screen.tsx')).TimelineScreen }))

export function App(): ReactNode {
  const session = useSession()
  switch (session.state) {
    case 'looking':
      return <Loading />
    case 'asking':
      return <SignInScreen why={session.why} provider={session.provider} />
    case 'offered':
      return <KeyOfferScreen offer={session} />
    case 'in':
      return <SignedInApp session={session} />
  }
}

function SignedInApp({ session }: { readonly session: Extract<Session, { readonly state: 'in' }> }): ReactNode {
  const client = useMemo(() => {
    const { origin: url } = location
    return connect(session.person ? { url, session: true, fetch: fetchInSession } : { url, token: session.token })
  }, [session])
  const [path] = useLocation()
  return (
    <HoldpointProvider client={client} tools={pageTools}>
      <ToolComponentsContext value={toolComponents}>
        <Remembering>
          <Shell person={session.person}>
            <Boundary subject={path} fallback={cannotBeShown}>
              <Suspense fallback={<Loading />}>
                <Screens />
              </Suspense>
            </Boundary>
          </Shell>
        </Remembering>
      </ToolComponentsContext>
    </HoldpointProvider>
  )
}

/** Cards offer to remember an approval to callers who may save rules. */
function Remembering({ children }: { readonly children: ReactNode }): ReactNode {
  const client = useClient()
  const caller = useCaller()
  const by = useBy()
  const saves = caller?.scopes.some((scope) => scope === 'resolver' || scope === 'admin') === true
  const save = useMemo(
    () => (saves ? (rule: SaveRule) => client.rules.save({ ...rule, ...(by !== undefined && { by }) }) : undefined),
    [client, saves, by],
  )
  return <SaveRuleContext value={save}>{children}</SaveRuleContext>
}

/** A segment of the path, decoded. The router decodes only some characters, and an id may have any character. */
function partAt(nth: number): string {
  const part = location.pathname.split('/')[nth] ?? ''
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The screen of the object whose id is the second segment. Another id mounts a new screen, without the old state. */
function screenOf(Shown: ComponentType<{ readonly id: string }>): () => ReactNode {
  return () => <Shown key={partAt(2)} id={partAt(2)} />
}

const conversation = screenOf(ConversationScreen)
const timeline = screenOf(TimelineScreen)
const space = screenOf(SpaceScreen)
const agent = screenOf(({ id }) => <AgentScreen name={id} />)
const life = screenOf(({ id }) => <AgentLifeScreen name={id} />)

function Screens(): ReactNode {
  return (
    <Switch>
      <Route path="/">
        <StartScreen />
      </Route>
      <Route path="/holds">
        <HoldsScreen />
      </Route>
      <Route path="/holds/:conversationId/:callId">
        {() => <HoldsScreen at={{ conversationId: partAt(2), callId: partAt(3) }} />}
      </Route>
      <Route path="/conversations">
        <ConversationsScreen />
      </Route>
      <Route path="/conversations/:id">{conversation}</Route>
      <Route path="/conversations/:id/timeline">{timeline}</Route>
      <Route path="/spaces">
        <SpacesScreen />
      </Route>
      <Route path="/spaces/:id">{space}</Route>
      <Route path="/agents">
        <AgentsScreen />
      </Route>
      <Route path="/agents/:name">{agent}</Route>
      <Route path="/agents/:name/life">{life}</Route>
      <Route path="/workers">
        <WorkersScreen />
      </Route>
      <Route path="/mcp-servers">
        <McpServersScreen />
      </Route>
      <Route path="/holds/:conversationId/:callId/evidence">
        {() => <EvidenceScreen at={{ conversationId: partAt(2), callId: partAt(3) }} />}
      </Route>
      <Route path="/admin-log">
        <AdminLogScreen />
      </Route>
      <Route path="/deliveries">
        <DeliveriesScreen />
      </Route>
      <Route path="/rules">
        <RulesScreen />
      </Route>
      <Route path="/search">
        <SearchScreen />
      </Route>
      <Route path="/replay">
        <ReplayScreen />
      </Route>
      <Route path="/usage">
        <UsageScreen />
      </Route>
      <Route path="/health">
        <HealthScreen />
      </Route>
      <Route path="/settings">
        <SettingsScreen />
      </Route>
      <Route>
        <Empty title="There is no page at this address">Choose a page in the navigation.</Empty>
      </Route>
    </Switch>
  )
}
