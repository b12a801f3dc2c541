/** The user of this console as a member of a space: the name in the settings, or `you`, as in the demo's space. */
import type { Member, SpaceMember, SpaceView } from '@holdpoint/client'
import { useBy } from '../preferences.ts'

export interface Self {
  readonly member: Member
  /** Undefined if the user is not a member of the space. */
  readonly entry: SpaceMember | undefined
}

export function useSelf(view: SpaceView): Self {
  const name = useSelfName()
  const entry = view.members.find(({ member: { kind, id } }) => kind === 'human' && id === name)
  return { member: { kind: 'human', id: name }, entry }
}

export function useSelfName(): string {
  return useBy() ?? 'you'
}
