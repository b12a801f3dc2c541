/** Whoever sits here, as a space knows them: by the name in the settings. The demo's own space knows them as `you`. */
import type { Member, SpaceMember, SpaceView } from '@holdpoint/client'
import { useBy } from '../preferences.ts'

export interface Self {
  readonly member: Member
  /** Undefined for whoever is not in the space. */
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
