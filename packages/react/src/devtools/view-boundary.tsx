import { Component, type ReactNode } from 'react'

/** Props of `ViewBoundary`. */
export interface ViewBoundaryProps {
  /** What is shown: with another one it is tried again. */
  of: unknown
  children: ReactNode
}

interface Tried {
  readonly of: unknown
  readonly error?: unknown
}

/** Keeps a view that cannot be drawn, as of a file that somebody has edited, from taking the app with it. */
export class ViewBoundary extends Component<ViewBoundaryProps, Tried> {
  override state: Tried = { of: undefined }

  static getDerivedStateFromError(error: unknown): Partial<Tried> {
    return { error }
  }

  static getDerivedStateFromProps({ of }: ViewBoundaryProps, state: Tried): Tried | null {
    return of === state.of ? null : { of, error: undefined }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <p className="error" role="alert">
        This cannot be shown: {error instanceof Error ? error.message : String(error)}
      </p>
    )
  }
}
