/** An error boundary: if a part cannot be drawn, a fallback replaces that part and the page stays. */
import { Component, type ReactNode } from 'react'

export interface BoundaryProps {
  readonly fallback: (error: Error) => ReactNode
  /** Identifies what is drawn, for instance the path. When it changes, the children are drawn again. */
  readonly subject?: string
  readonly children: ReactNode
}

interface State {
  readonly error: Error | undefined
}

export class Boundary extends Component<BoundaryProps, State> {
  override state: State = { error: undefined }

  static getDerivedStateFromError(thrown: unknown): State {
    return { error: thrown instanceof Error ? thrown : new Error(String(thrown)) }
  }

  override componentDidUpdate(before: BoundaryProps): void {
    if (before.subject !== this.props.subject && this.state.error) this.setState({ error: undefined })
  }

  override render(): ReactNode {
    const { error } = this.state
    return error ? this.props.fallback(error) : this.props.children
  }
}
