/** When a person is told: by channel, by hour, together, and by agent. */
import { checkDigestTimes, type DigestTimes } from './digest-times.ts'
import { checkQuietHours, type QuietHours } from './quiet-hours.ts'

/** The part of a person's entry that the person sets. */
export interface ChannelPreferences {
  /** Channels that the person has turned off. */
  readonly off?: readonly string[]
  readonly quiet?: QuietHours
  /** Tell of new holds together, at these times. */
  readonly digest?: DigestTimes
  /** Tell only of holds of these agents. */
  readonly agents?: readonly string[]
  /** Other settings for holds of an agent, by its name. What is left out is as for all agents. */
  readonly byAgent?: Readonly<Record<string, AgentPreferences>>
}

export interface AgentPreferences {
  readonly off?: readonly string[]
  /** `none`: no quiet hours for this agent. */
  readonly quiet?: QuietHours | 'none'
  /** `none`: each hold of this agent at once. */
  readonly digest?: DigestTimes | 'none'
}

/** Throws for hours and times that cannot be read. */
export function checkPreferences({ quiet, digest, byAgent = {} }: ChannelPreferences): void {
  const all: readonly AgentPreferences[] = [{ ...(quiet && { quiet }), ...(digest && { digest }) }]
  for (const each of [...all, ...Object.values(byAgent)]) {
    if (each.quiet && each.quiet !== 'none') checkQuietHours(each.quiet)
    if (each.digest && each.digest !== 'none') checkDigestTimes(each.digest)
  }
}

/** What applies to holds of one agent. */
export function preferencesFor(
  { off = [], quiet, digest, byAgent = {} }: ChannelPreferences,
  agent: string,
): {
  readonly off: readonly string[]
  readonly quiet: QuietHours | undefined
  readonly digest: DigestTimes | undefined
} {
  const own = Object.hasOwn(byAgent, agent) ? byAgent[agent] : undefined
  return {
    off: own?.off ?? off,
    quiet: own?.quiet === 'none' ? undefined : (own?.quiet ?? quiet),
    digest: own?.digest === 'none' ? undefined : (own?.digest ?? digest),
  }
}
